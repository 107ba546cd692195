#include "forebay/wire/protocol/startup.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/wire/protocol/body_reader.hpp"
#include "forebay/wire/protocol/message_type.hpp"
#include "forebay/wire/protocol/message_writer.hpp"
#include "forebay/wire/protocol/violation.hpp"

namespace forebay::wire {
namespace {

// In the place of a version; no version has such a number.
constexpr std::uint32_t request_code(std::uint32_t number) { return 1234u << 16 | number; }
constexpr std::uint32_t kCancelCode = request_code(5678);
constexpr std::uint32_t kSslCode = request_code(5679);
constexpr std::uint32_t kGssCode = request_code(5680);
constexpr std::string_view kOptionPrefix = "_pq_.";

constexpr std::uint32_t code_of(ProtocolVersion version) {
  return std::uint32_t{version.major} << 16 | version.minor;
}
constexpr ProtocolVersion version_of(std::uint32_t code) {
  return {static_cast<std::uint16_t>(code >> 16), static_cast<std::uint16_t>(code)};
}

constexpr bool is_key_length(std::size_t size) {
  return size >= kShortestCancelKey && size <= kLongestCancelKey;
}

Result<StartupPacket> parse_cancel(BodyReader reader) {
  CancelKeyView key;
  key.process = reader.take_uint32();
  key.key = reader.take_rest();
  reader.require(is_key_length(key.key.size()), "its key does not have 4 to 256 bytes");
  return reader.finish(StartupPacket(key));
}

Result<StartupPacket> parse_parameters(BodyReader reader, ProtocolVersion version) {
  if (version.major != 3) {
    return failure(violation(fmt::format("unsupported frontend protocol {}.{}: only 3 is supported",
                                         version.major, version.minor),
                             kNotSupported));
  }
  StartupView view{.version = version, .parameters = reader.take_settings()};
  Result<StartupPacket> packet = reader.finish(StartupPacket(view));
  if (packet && view.user().empty()) {
    return failure(violation("no PostgreSQL user name specified in startup packet", "28000"));
  }
  return packet;
}

}  // namespace

std::optional<std::string_view> StartupView::find(std::string_view name) const {
  std::optional<std::string_view> found;
  for (const auto& [key, value] : parameters)
    if (key == name) found = value;
  return found;
}

std::string_view StartupView::database() const {
  const std::string_view given = find("database").value_or("");
  return given.empty() ? user() : given;
}

bool StartupView::is_replication() const {
  const std::string_view value = find("replication").value_or("");
  return !value.empty() && value != "false" && value != "off" && value != "no" && value != "0";
}

Result<StartupPacket> parse_startup(std::string_view body) {
  BodyReader start("StartupMessage", body);
  const std::uint32_t code = start.take_uint32();
  if (!start.is_sound()) return failure(start.problem());
  switch (code) {
    case kCancelCode: return parse_cancel(BodyReader("CancelRequest", start.rest()));
    case kSslCode:
      return BodyReader("SSLRequest", start.rest()).finish(StartupPacket(SslRequest{}));
    case kGssCode:
      return BodyReader("GSSENCRequest", start.rest()).finish(StartupPacket(GssRequest{}));
    default: return parse_parameters(start, version_of(code));
  }
}

void write_ssl_request(std::string& out) { MessageWriter(out).uint32(kSslCode); }
void write_gss_request(std::string& out) { MessageWriter(out).uint32(kGssCode); }

void write_cancel_request(std::string& out, const CancelKeyView& key) {
  FOREBAY_CHECK(is_key_length(key.key.size()));
  MessageWriter(out).uint32(kCancelCode).uint32(key.process).bytes(key.key);
}

void write_startup(std::string& out, ProtocolVersion version,
                   std::span<const std::pair<std::string_view, std::string_view>> parameters) {
  MessageWriter packet(out);
  packet.uint32(code_of(version));
  for (const auto& [name, value] : parameters) {
    FOREBAY_CHECK(!name.empty(), "an empty name would end the list");
    packet.text(name).text(value);
  }
  packet.byte('\0');
}

Negotiation::Negotiation(const StartupView& asked, ProtocolVersion newest)
    : version(std::min(asked.version, newest)) {
  for (const auto& [name, value] : asked.parameters)
    if (name.starts_with(kOptionPrefix)) unknown_options.push_back(name);
  must_be_told = asked.version > newest || !unknown_options.empty();
}

void write_negotiation(std::string& out, const Negotiation& negotiation) {
  MessageWriter message(out, ServerMessage::negotiate_protocol_version);
  message.uint32(code_of(negotiation.version));
  message.uint32(static_cast<std::uint32_t>(negotiation.unknown_options.size()));
  for (const std::string_view option : negotiation.unknown_options) message.text(option);
}

Result<NegotiationView> parse_negotiation(std::string_view body) {
  BodyReader reader("NegotiateProtocolVersion", body);
  NegotiationView view;
  view.version = version_of(reader.take_uint32());
  view.unknown_options = reader.take_texts(reader.take_uint32());
  return reader.finish(view);
}

Result<ProtocolVersion> negotiated_version(const NegotiationView& answer, ProtocolVersion asked) {
  const ProtocolVersion version = answer.version;
  const bool is_possible = version.major == 3 && version <= asked && version.minor != 1;
  if (is_possible) return version;
  return failure(violation(fmt::format("the server answers protocol {}.{} to a client of {}.{}",
                                       version.major, version.minor, asked.major, asked.minor)));
}

}  // namespace forebay::wire
