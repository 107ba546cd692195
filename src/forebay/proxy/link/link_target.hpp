// LinkTarget: where the sessions of a ServerLink lead to, as whom, and how safe the way must be.
//
// Made of a connection string, with everything that counts for libpq: service and password files,
// environment variables, defaults. Keywords that promise something that is not kept here (a
// revocation list, a certain peer, GSSAPI …) are refused, never ignored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/env/stream_address.hpp"
#include "forebay/env/tls.hpp"
#include "forebay/postgres/driver/conninfo.hpp"

namespace forebay::proxy {

// libpq's sslmode. Its "allow" is taken for prefer: both end in the clear or in TLS, with whomever.
// Unix sockets have no TLS, whatever the mode, as with libpq.
enum class LinkTls : std::uint8_t {
  disable,
  prefer,   // in the clear if the server has no TLS, or refuses us with it
  require,  // also what verify-ca and verify-full are, for the stream: TlsClientOptions has the
            // rest
};

// One of the servers that are tried in their order.
struct LinkPlace {
  explicit LinkPlace(StreamAddress where) : address(std::move(where)) {}

  StreamAddress address;
  std::string server_name;  // for TLS: who to ask for, and to expect
  std::string password;     // empty: there is none
};

struct LinkTarget {
  LinkTarget() = default;

  std::vector<LinkPlace> places;  // at least one
  LinkTls tls = LinkTls::prefer;
  // For real::make_tls_client, unless tls is disable.
  TlsClientOptions tls_options;
  std::string user;
  std::string database;
  std::string options;  // of the start-up packet: the user's own
  // What else goes into the start-up packet: application_name, client_encoding.
  std::vector<std::pair<std::string, std::string>> parameters;
};

// Errc::invalid says what is wrong, without a secret. Reads files: for the start of a program, or
// on a lane. home: where libpq looks for .postgresql/root.crt, postgresql.crt and postgresql.key if
// no others are given; empty: nowhere. What libpq takes of PGDATESTYLE, PGTZ and PGGEQO is left to
// the clients of the proxy, each of whom says it himself.
Result<LinkTarget> link_target(const postgres::ConnectionString& connection,
                               std::string_view home = {});

}  // namespace forebay::proxy
