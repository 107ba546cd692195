// Messages of the protocol in words, so that scripts of them can be read: written from functions
// with short names, and told as text.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "forebay/detail/base/check.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "support/wire_frames.hpp"

namespace forebay::test::words {

// What clients say.
inline std::string query(std::string_view sql) {
  std::string out;
  wire::write_query(out, sql);
  return out;
}
inline std::string parse(std::string_view name, std::string_view sql) {
  std::string out;
  wire::write_parse(out, name, sql);
  return out;
}
inline std::string bind(std::string_view statement, std::string_view portal = "") {
  std::string out;
  wire::write_bind(out, {.portal = portal, .statement = statement});
  return out;
}
inline std::string execute(std::string_view portal = "") {
  std::string out;
  wire::write_execute(out, portal);
  return out;
}
inline std::string describe(wire::Target target, std::string_view name) {
  std::string out;
  wire::write_describe(out, target, name);
  return out;
}
inline std::string close(wire::Target target, std::string_view name) {
  std::string out;
  wire::write_close(out, target, name);
  return out;
}
inline std::string sync() {
  std::string out;
  wire::write_sync(out);
  return out;
}
inline std::string flush() {
  std::string out;
  wire::write_flush(out);
  return out;
}
inline std::string terminate() {
  std::string out;
  wire::write_terminate(out);
  return out;
}
// Prepared, bound and run at once.
inline std::string run(std::string_view statement) { return bind(statement) + execute(); }

// What servers say.
inline std::string empty(wire::ServerMessage type) {
  std::string out;
  wire::write_empty(out, type);
  return out;
}
inline std::string parsed() { return empty(wire::ServerMessage::parse_complete); }
inline std::string bound() { return empty(wire::ServerMessage::bind_complete); }
inline std::string closed() { return empty(wire::ServerMessage::close_complete); }
inline std::string complete(std::string_view tag) {
  std::string out;
  wire::write_command_complete(out, tag);
  return out;
}
inline std::string ready(char status = 'I') {
  std::string out;
  wire::write_ready_for_query(out, static_cast<wire::TransactionStatus>(status));
  return out;
}
inline std::string error(std::string_view sqlstate, std::string_view text = "no",
                         wire::Severity severity = wire::Severity::error) {
  std::string out;
  wire::write_error(out, {severity, std::string(sqlstate), std::string(text)});
  return out;
}
inline std::string parameter(std::string_view name, std::string_view value) {
  std::string out;
  wire::write_parameter_status(out, name, value);
  return out;
}

inline std::string told_of_client(const WireMessage& message) {
  using wire::ClientMessage;
  const std::string name(wire::message_name(wire::Sender::client, message.type));
  switch (static_cast<ClientMessage>(message.type)) {
    case ClientMessage::query:
      return name + " [" + std::string(wire::parse_query(message.body)->sql) + "]";
    case ClientMessage::parse: {
      const auto view = wire::parse_parse(message.body);
      return name + " " + std::string(view->statement) + " [" + std::string(view->sql) + "]";
    }
    case ClientMessage::bind: {
      const auto view = wire::parse_bind(message.body);
      if (!view) return name + " malformed";
      return name + " " + std::string(view->portal) + " of " + std::string(view->statement);
    }
    case ClientMessage::describe:
    case ClientMessage::close: {
      const auto view = wire::parse_close(message.body);
      return name + " " + static_cast<char>(view->target) + " " + std::string(view->name);
    }
    default: return name;
  }
}

inline std::string told_of_server(const WireMessage& message) {
  using wire::ServerMessage;
  const std::string name(wire::message_name(wire::Sender::server, message.type));
  switch (static_cast<ServerMessage>(message.type)) {
    case ServerMessage::error_response: {
      const auto fields = wire::parse_error_fields(message.body);
      return std::string(fields->severity()) + " " + std::string(fields->sqlstate()) + " [" +
             std::string(fields->message()) + "]";
    }
    case ServerMessage::ready_for_query: return "Ready " + message.body;
    case ServerMessage::command_complete:
      return "[" + std::string(*wire::parse_command_complete(message.body)) + "]";
    case ServerMessage::parameter_status: {
      const auto status = wire::parse_parameter_status(message.body);
      return std::string(status->name) + "=" + std::string(status->value);
    }
    case ServerMessage::data_row: {
      const auto row = wire::parse_data_row(message.body);
      std::string told = "row";
      for (const auto& value : *row) told += " " + std::string(value.value_or("null"));
      return told;
    }
    default: return name;
  }
}

// Messages one after the other, in words, with commas between them.
inline std::string told(wire::Sender sender, std::string_view bytes) {
  wire::FrameReader reader(wire::FrameOptions{.sender = sender});
  reader.expect_messages();
  const WireMessages messages = read_messages(reader, bytes, {});
  FOREBAY_CHECK(!messages.is_broken && !messages.is_open);
  std::string text;
  for (const WireMessage& message : messages.all) {
    if (!text.empty()) text += ", ";
    text += sender == wire::Sender::client ? told_of_client(message) : told_of_server(message);
  }
  return text;
}

}  // namespace forebay::test::words
