#include "forebay/proxy/link/link_target.hpp"

#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "forebay/postgres/driver/values_in_force.hpp"

namespace forebay::proxy {
namespace {

using postgres::ConnectionString;
using postgres::HostPlace;
using postgres::ValuesInForce;

std::unexpected<Error> invalid(std::string_view what) {
  return failure(Errc::invalid, fmt::format("connection string: {}", what));
}

// What is promised by a keyword and not kept here. Empty values, and the harmless one, pass.
struct Promise {
  std::string_view keyword;
  std::string_view harmless;
};

constexpr std::array<Promise, 12> kPromises{{
    {"sslcrl", ""},
    {"sslcrldir", ""},
    {"sslpassword", ""},
    {"ssl_min_protocol_version", "TLSv1.2"},
    {"ssl_max_protocol_version", ""},
    {"sslsni", "1"},
    {"sslnegotiation", "postgres"},
    {"requirepeer", ""},
    {"require_auth", ""},
    {"replication", ""},
    {"target_session_attrs", "any"},
    {"load_balance_hosts", "disable"},
}};

Result<void> check_promises(const ValuesInForce& values) {
  for (const Promise& promise : kPromises) {
    const std::string_view value = values.get(promise.keyword);
    if (!value.empty() && value != promise.harmless) {
      return invalid(fmt::format("{} cannot be kept by the proxy, which has no libpq: leave it out",
                                 promise.keyword));
    }
  }
  if (values.get("channel_binding") == "require")
    return invalid("channel_binding=require cannot be kept by the proxy: leave it out");
  if (values.get("gssencmode") == "require")
    return invalid("gssencmode=require cannot be kept by the proxy, which has no GSSAPI");
  if (values.get("client_encoding") == "auto")
    return invalid("client_encoding=auto means that of a terminal, and the proxy has none");
  return {};
}

std::optional<std::uint16_t> port_of(std::string_view text) {
  constexpr std::uint16_t kDefault = 5432;
  if (text.empty()) return kDefault;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

// libpq looks a password up for each of its hosts.
Result<LinkPlace> place_of(const ConnectionString& connection, const HostPlace& host) {
  ConnectionString alone = connection;
  for (const auto& [keyword, value] :
       {std::pair("host", host.host), std::pair("hostaddr", host.address),
        std::pair("port", host.port)}) {
    if (Result<void> is_set = alone.set(keyword, value); !is_set) return failure(is_set.error());
  }
  const ValuesInForce values(alone);
  if (!values.problem().empty()) return invalid(values.problem());
  const std::optional<std::uint16_t> port = port_of(values.get("port"));
  if (!port) return invalid("the port is not a number from 1 to 65535");
  const std::string& name = host.host.empty() ? values.first_host() : host.host;
  if (name.starts_with('@')) return invalid("abstract Unix sockets (@…) are not supported");
  const bool is_socket = host.address.empty() && name.starts_with('/');
  LinkPlace place(is_socket
                      ? StreamAddress::unix_socket(fmt::format("{}/.s.PGSQL.{}", name, *port))
                      : StreamAddress::tcp(host.address.empty() ? name : host.address, *port));
  if (!is_socket) place.server_name = host.host;
  place.password = values.password();
  return place;
}

Result<std::vector<LinkPlace>> places_of(const ConnectionString& connection,
                                         const ValuesInForce& values) {
  std::vector<HostPlace> hosts = values.hosts().places();
  const bool has_hosts = !values.get("host").empty() || !values.get("hostaddr").empty();
  if (hosts.empty() && has_hosts)
    return invalid("there must be as many hosts as addresses, and one port or as many");
  if (hosts.empty()) hosts.emplace_back("", "", std::string(values.get("port")));
  std::vector<LinkPlace> places;
  for (const HostPlace& host : hosts) {
    Result<LinkPlace> place = place_of(connection, host);
    if (!place) return failure(std::move(place).error());
    places.push_back(std::move(*place));
  }
  return places;
}

bool is_there(const std::string& file) {
  std::error_code ignored;
  return !file.empty() && std::filesystem::exists(file, ignored);
}

// The file that is given, or libpq's own if it is there.
std::string file_of(const ValuesInForce& values, std::string_view keyword, std::string_view home,
                    std::string_view usual) {
  if (const std::string_view given = values.get(keyword); !given.empty()) return std::string(given);
  if (home.empty()) return "";
  std::string file = fmt::format("{}/.postgresql/{}", home, usual);
  return is_there(file) ? file : "";
}

Result<void> set_root(LinkTarget& target, const ValuesInForce& values, std::string_view home) {
  const std::string_view mode = values.get("sslmode");
  const bool verifies = mode == "verify-ca" || mode == "verify-full";
  std::string root = file_of(values, "sslrootcert", home, "root.crt");
  TlsClientOptions& tls = target.tls_options;
  tls.verify = mode == "verify-full" ? TlsVerify::name : TlsVerify::certificate;
  if (root == "system") return {};  // an empty file means just that
  if (is_there(root)) {
    tls.ca_file = std::move(root);  // with libpq a root that is there is used in every mode
    return {};
  }
  if (verifies) {
    return invalid(
        fmt::format("sslmode={} needs the certificates to trust, and {}; give a file "
                    "as sslrootcert, or \"system\" for those of this machine",
                    mode, root.empty() ? "there are none" : "there is no " + root));
  }
  tls.verify = TlsVerify::none;
  return {};
}

Result<void> set_tls(LinkTarget& target, const ValuesInForce& values, std::string_view home) {
  const std::string_view mode = values.get("sslmode");
  const bool verifies = mode == "verify-ca" || mode == "verify-full";
  if (mode == "disable") {
    target.tls = LinkTls::disable;
    return {};
  }
  if (mode.empty() || mode == "prefer" || mode == "allow") {
    target.tls = LinkTls::prefer;
  } else if (mode == "require" || verifies) {
    target.tls = LinkTls::require;
  } else {
    return invalid("sslmode is none of disable, allow, prefer, require, verify-ca and verify-full");
  }
  if (Result<void> is_set = set_root(target, values, home); !is_set) return is_set;
  for (const LinkPlace& place : target.places) {
    const bool is_nameless = !place.address.is_unix_socket() && place.server_name.empty();
    if (mode == "verify-full" && is_nameless)
      return invalid("sslmode=verify-full needs the name of the host, and there is its address");
  }
  const std::string certificate = file_of(values, "sslcert", home, "postgresql.crt");
  if (!is_there(certificate)) return {};  // the server says whether it wants one
  const std::string key = file_of(values, "sslkey", home, "postgresql.key");
  if (!is_there(key))
    return invalid(fmt::format("the certificate {} has no private key: give sslkey", certificate));
  target.tls_options.certificate_file = certificate;
  target.tls_options.key_file = key;
  return {};
}

}  // namespace

Result<LinkTarget> link_target(const ConnectionString& connection, std::string_view home) {
  const ValuesInForce values(connection);
  if (!values.problem().empty()) return invalid(values.problem());
  if (Result<void> kept = check_promises(values); !kept) return failure(std::move(kept).error());
  LinkTarget target;
  Result<std::vector<LinkPlace>> places = places_of(connection, values);
  if (!places) return failure(std::move(places).error());
  target.places = std::move(*places);
  if (Result<void> is_set = set_tls(target, values, home); !is_set)
    return failure(std::move(is_set).error());
  target.user = values.get("user");
  target.database = values.database();
  target.options = values.get("options");
  if (target.user.empty()) return invalid("there is no user");
  std::string_view name = values.get("application_name");
  if (name.empty()) name = values.get("fallback_application_name");
  if (!name.empty()) target.parameters.emplace_back("application_name", name);
  if (const std::string_view encoding = values.get("client_encoding"); !encoding.empty())
    target.parameters.emplace_back("client_encoding", encoding);
  return target;
}

}  // namespace forebay::proxy
