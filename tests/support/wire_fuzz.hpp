// What must hold of the protocol's parsers for any bytes whatsoever. libFuzzer calls these with
// what it invents (tests/fuzz), the ordinary tests with what is kept in tests/fuzz/corpus.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/wire/auth/base64.hpp"
#include "forebay/wire/auth/client_authentication.hpp"
#include "forebay/wire/auth/scram_message.hpp"
#include "forebay/wire/auth/server_authentication.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "support/wire_frames.hpp"

namespace forebay::test {

// The first bytes say how to read the rest: who sends, what is wanted whole, in which pieces.
inline void fuzz_wire_frames(std::string_view data) {
  if (data.size() < 4) return;
  const auto byte = [data](std::size_t place) { return static_cast<unsigned char>(data[place]); };
  const std::vector<std::size_t> reads{std::size_t{byte(1)} + 1, std::size_t{byte(2)} + 1};
  const wire::MessageTypes whole((byte(3) & 1) != 0 ? "PQZT" : "");
  const auto reader = [&] {
    wire::FrameReader made(
        {.sender = (byte(0) & 1) != 0 ? wire::Sender::client : wire::Sender::server,
         .whole = whole,
         .capacity = 64,
         .longest_whole = 1000});
    if ((byte(0) & 2) != 0) made.expect_messages();
    return made;
  };
  const std::string_view stream = data.substr(4);
  wire::FrameReader one = reader();
  wire::FrameReader other = reader();
  const WireMessages at_once = read_messages(one, stream, {});
  const WireMessages split = read_messages(other, stream, reads);
  FOREBAY_CHECK(at_once.all == split.all);
  FOREBAY_CHECK(at_once.is_broken == split.is_broken && at_once.is_open == split.is_open);
  FOREBAY_CHECK(stream.starts_with(split.bytes), "nothing is made up, and nothing is lost");
}

inline void fuzz_wire_startup(std::string_view data) {
  std::string out;
  if (const Result<wire::NegotiationView> told = wire::parse_negotiation(data)) {
    static_cast<void>(wire::negotiated_version(*told, wire::kVersion32));
    FOREBAY_CHECK(static_cast<std::size_t>(
                      std::distance(told->unknown_options.begin(), told->unknown_options.end())) ==
                  told->unknown_options.size());
  }
  const Result<wire::StartupPacket> packet = wire::parse_startup(data);
  if (!packet) {
    FOREBAY_CHECK(packet.error().sqlstate().size() == 5);
    return;
  }
  if (const auto* startup = std::get_if<wire::StartupView>(&*packet)) {
    const std::vector<std::pair<std::string_view, std::string_view>> parameters(
        startup->parameters.begin(), startup->parameters.end());
    FOREBAY_CHECK(!startup->user().empty() && !startup->database().empty());
    wire::write_startup(out, startup->version, parameters);
    const wire::Negotiation negotiation(*startup);
    std::string told;
    wire::write_negotiation(told, negotiation);
    FOREBAY_CHECK(wire::parse_negotiation(std::string_view(told).substr(5)).has_value());
  } else if (const auto* cancel = std::get_if<wire::CancelKeyView>(&*packet)) {
    wire::write_cancel_request(out, *cancel);
  } else if (std::holds_alternative<wire::SslRequest>(*packet)) {
    wire::write_ssl_request(out);
  } else {
    wire::write_gss_request(out);
  }
  FOREBAY_CHECK(std::string_view(out).substr(4) == data, "written again it is the same");
}

template <class Number>
std::vector<Number> numbers_of(const wire::NumberList<Number>& list) {
  std::vector<Number> numbers;
  for (std::size_t place = 0; place < list.size(); ++place) numbers.push_back(list[place]);
  return numbers;
}
inline std::vector<wire::Value> values_of(const wire::ValueList& list) {
  return {list.begin(), list.end()};
}
inline void check_same(std::string& out, std::string_view body) {
  FOREBAY_CHECK(std::string_view(out).substr(5) == body, "written again it is the same");
  out.clear();
}

// What was understood is written as it was.
inline void fuzz_wire_client_messages(std::string_view body) {
  std::string out;
  if (const auto query = wire::parse_query(body)) {
    wire::write_query(out, query->sql);
    check_same(out, body);
  }
  if (const auto parse = wire::parse_parse(body)) {
    FOREBAY_CHECK(wire::leading_name(body) == parse->statement);
    wire::write_parse(out, parse->statement, parse->sql, numbers_of(parse->parameter_types));
    check_same(out, body);
  }
  if (const auto bind = wire::parse_bind(body)) {
    const auto formats = numbers_of(bind->parameter_formats);
    const auto results = numbers_of(bind->result_formats);
    const auto values = values_of(bind->parameters);
    wire::write_bind(out, {bind->portal, bind->statement, formats, values, results});
    check_same(out, body);
  }
  if (const auto describe = wire::parse_describe(body)) {
    wire::write_describe(out, describe->target, describe->name);
    check_same(out, body);
  }
  if (const auto execute = wire::parse_execute(body)) {
    wire::write_execute(out, execute->portal, execute->most_rows);
    check_same(out, body);
  }
  if (const auto call = wire::parse_function_call(body)) {
    const auto formats = numbers_of(call->argument_formats);
    const auto values = values_of(call->arguments);
    wire::write_function_call(out, {call->function, formats, values, call->result_format});
    check_same(out, body);
  }
  static_cast<void>(wire::parse_close(body));
  static_cast<void>(wire::parse_copy_fail(body));
  static_cast<void>(wire::parse_password(body));
  static_cast<void>(wire::parse_sasl_initial(body));
  static_cast<void>(wire::parse_empty(wire::Sender::client, 'S', body));
}

inline void fuzz_wire_server_messages(std::string_view body) {
  std::string out;
  if (const auto columns = wire::parse_row_description(body)) {
    wire::write_row_description(out, std::vector<wire::Column>(columns->begin(), columns->end()));
    check_same(out, body);
  }
  if (const auto row = wire::parse_data_row(body)) {
    wire::write_data_row(out, values_of(*row));
    check_same(out, body);
  }
  if (const auto types = wire::parse_parameter_description(body)) {
    wire::write_parameter_description(out, numbers_of(*types));
    check_same(out, body);
  }
  if (const auto copy = wire::parse_copy_response(body)) {
    const auto formats = numbers_of(copy->column_formats);
    wire::write_copy_response(out, wire::ServerMessage::copy_both_response, copy->format, formats);
    check_same(out, body);
  }
  if (const auto key = wire::parse_backend_key_data(body)) {
    wire::write_backend_key_data(out, *key);
    check_same(out, body);
  }
  if (const auto notification = wire::parse_notification(body)) {
    wire::write_notification(out, *notification);
    check_same(out, body);
  }
  if (const auto status = wire::parse_parameter_status(body)) {
    wire::write_parameter_status(out, status->name, status->value);
    check_same(out, body);
  }
  if (const auto fields = wire::parse_error_fields(body)) {
    std::size_t size = 1;  // the zero byte at the end
    for (const auto& [code, text] : fields->all()) size += text.size() + 2;
    FOREBAY_CHECK(size == body.size());
  }
  if (const auto value = wire::parse_function_call_response(body)) {
    wire::write_function_call_response(out, *value);
    check_same(out, body);
  }
  static_cast<void>(wire::parse_command_complete(body));
  static_cast<void>(wire::parse_ready_for_query(body));
}

// Messages with a byte of 255 between them, of a peer who is not to be trusted. Nobody gets in.
inline void fuzz_wire_authentication(std::string_view data) {
  if (data.empty()) return;
  const auto choice = static_cast<unsigned char>(data[0]);
  data.remove_prefix(1);
  const std::string verifier = "SCRAM-SHA-256$1:QQ==$" + wire::base64_of(std::string(32, 'k')) +
                               ":" + wire::base64_of(std::string(32, 's'));
  const std::array methods{wire::AuthenticationMethod::cleartext, wire::AuthenticationMethod::md5,
                           wire::AuthenticationMethod::scram};
  wire::ServerAuthenticationOptions options(methods[choice % 3], "app",
                                            wire::StoredSecret::parse(verifier));
  options.nonce = "server";
  wire::ServerAuthentication server(options);
  wire::ScramClientOptions secret("client");
  secret.password = "hunter2";
  wire::ClientCredentials credentials("app", secret);
  credentials.allowed.trust = false;
  wire::ClientAuthentication client(credentials);

  std::string to_client;
  std::string to_server;
  wire::ServerAuthentication::Step step = server.begin(to_client);
  while (!data.empty()) {
    const std::size_t end = std::min(data.find('\xff'), data.size());
    const std::string_view line = data.substr(0, end);
    data.remove_prefix(std::min(end + 1, data.size()));
    if (step == wire::ServerAuthentication::Step::waiting) step = server.receive(line, to_client);
    // Many iterations are allowed, and take their time.
    if (line.find("i=") == std::string_view::npos || line.ends_with("i=1"))
      static_cast<void>(client.receive(line, to_server));
  }
  FOREBAY_CHECK(step != wire::ServerAuthentication::Step::accepted, "nobody knows the password");
}

inline void fuzz_wire_secrets(std::string_view data) {
  if (const auto bytes = wire::bytes_of_base64(data))
    FOREBAY_CHECK(wire::base64_of(*bytes) == data);
  if (const auto verifier = wire::ScramVerifier::parse(data)) {
    const auto again = wire::ScramVerifier::parse(verifier->text());
    FOREBAY_CHECK(again && again->text() == verifier->text());
  }
  static_cast<void>(wire::StoredSecret::parse(data).kind());
}

}  // namespace forebay::test
