// How a session begins: the packets that a client sends before messages, and the version that both
// sides agree on.
//
//   client                        server
//   SSLRequest or GSSENCRequest → one byte: 'S' or 'G', encryption begins; 'N', it does not
//   StartupMessage              → NegotiateProtocolVersion, if it asks for more than there is
//                                 Authentication …
//   or CancelRequest            → nothing: the server hangs up
//
// Protocol 3.2 differs from 3.0 in the length of cancel keys, 4 to 256 bytes instead of 4.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/wire/protocol/lists.hpp"

namespace forebay::wire {

struct ProtocolVersion {
  std::uint16_t major = 3;
  std::uint16_t minor = 0;
  friend auto operator<=>(const ProtocolVersion&, const ProtocolVersion&) = default;
};
inline constexpr ProtocolVersion kVersion30{3, 0};
inline constexpr ProtocolVersion kVersion32{3, 2};

inline constexpr std::size_t kShortestCancelKey = 4;
inline constexpr std::size_t kLongestCancelKey = 256;

struct SslRequest {};
struct GssRequest {};

// Whose statement to cancel. The server answers nothing, whatever comes of it.
struct CancelKeyView {
  std::uint32_t process = 0;
  std::string_view key{};
};

struct StartupView {
  // The value of a parameter: "user", "database", "options", "application_name" … Of several with
  // one name the last counts, as for the server.
  std::optional<std::string_view> find(std::string_view name) const;
  std::string_view user() const { return find("user").value_or(""); }
  std::string_view database() const;  // the user's name, if none is given
  // "true", "database": this is a replication session, which speaks other commands.
  bool is_replication() const;

  ProtocolVersion version{};
  SettingList parameters{};
};

// REQUIRES, for the views in it: the body stays.
using StartupPacket = std::variant<SslRequest, GssRequest, CancelKeyView, StartupView>;

// The body of a start-up packet: what FrameReader shows before messages are expected. Errors are
// those of PostgreSQL: other major versions, no user, a wrong layout.
Result<StartupPacket> parse_startup(std::string_view body);

// A client that begins with TLS at once (libpq's sslnegotiation=direct) sends this byte first, and
// no start-up packet does.
inline bool begins_with_tls(std::string_view unread) { return unread.starts_with('\x16'); }

void write_ssl_request(std::string& out);
void write_gss_request(std::string& out);
void write_cancel_request(std::string& out, const CancelKeyView& key);
// REQUIRES: names are not empty.
void write_startup(std::string& out, ProtocolVersion version,
                   std::span<const std::pair<std::string_view, std::string_view>> parameters);

// What a server makes of a client's wish: the version that both speak from now on, and the options
// of the protocol ("_pq_." …) that it does not know. We know none.
struct Negotiation {
  explicit Negotiation(const StartupView& asked, ProtocolVersion newest = kVersion32);

  ProtocolVersion version;
  std::vector<std::string_view> unknown_options;
  bool must_be_told = false;  // by NegotiateProtocolVersion, before authentication
};
void write_negotiation(std::string& out, const Negotiation& negotiation);

// The body of NegotiateProtocolVersion.
struct NegotiationView {
  ProtocolVersion version{};
  TextList unknown_options{};
};
Result<NegotiationView> parse_negotiation(std::string_view body);

// The version that a client speaks after it. An error: no server may answer so to that wish.
Result<ProtocolVersion> negotiated_version(const NegotiationView& answer, ProtocolVersion asked);

}  // namespace forebay::wire
