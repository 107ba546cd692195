#include "forebay/sim/postgres/own_server.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "forebay/wire/protocol/bytes.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/server_messages.hpp"

namespace forebay::sim {
namespace {

using wire::ClientMessage;
using wire::ServerMessage;

constexpr std::size_t kHeader = 5;
constexpr std::size_t kMostShown = 150;  // of a message
constexpr std::size_t kMostEvents = 20;

std::string sqlstate_of(char type, std::string_view body) {
  if (type != static_cast<char>(ServerMessage::error_response)) return {};
  const Result<wire::ErrorFields> fields = wire::parse_error_fields(body);
  return fields ? std::string(fields->sqlstate()) : "unreadable";
}

// No server can be had: all are lent, it cannot be reached, or the proxy ends. No model says so.
bool is_of_the_pool(std::string_view sqlstate) {
  return sqlstate == "53300" || sqlstate == "57P03" || sqlstate == "08001" || sqlstate == "08006";
}

}  // namespace

std::string message_text(wire::Sender sender, char type, std::string_view body) {
  std::string text(wire::message_name(sender, type));
  if (!body.empty()) text += ' ';
  for (const char letter : body.substr(0, kMostShown)) {
    const bool is_plain = letter >= ' ' && letter <= '~';
    text += is_plain ? letter : '.';
  }
  return text;
}

void OwnServer::note(std::string event) {
  events_.push_back(std::move(event));
  if (events_.size() > kMostEvents) events_.pop_front();
}

std::string OwnServer::history() const {
  std::string text;
  for (const std::string& event : events_) text += "\n    " + event;
  return text;
}

void OwnServer::sent(std::string_view messages) {
  while (!messages.empty()) {
    const std::size_t size = 1 + wire::read_uint32(messages, 1);
    sent_.push_back({messages[0], std::string(messages.substr(kHeader, size - kHeader))});
    note("says  " + message_text(wire::Sender::client, sent_.back().type, sent_.back().body));
    messages.remove_prefix(size);
  }
}

std::string OwnServer::hear(char type, std::string_view body) {
  note("hears " + message_text(wire::Sender::server, type, body));
  std::string wrong = compare(type, body, sqlstate_of(type, body));
  return wrong.empty() ? wrong : wrong + history();
}

std::string OwnServer::compare(char type, std::string_view body, std::string_view sqlstate) {
  if (expected_.empty() && is_of_the_pool(sqlstate)) return skip_unit();
  while (expected_.empty() && !sent_.empty()) answer_next(sqlstate);
  if (expected_.empty()) return "it heard what it had not asked for";
  const std::size_t size = 1 + wire::read_uint32(expected_, 1);
  const std::string_view wanted = std::string_view(expected_).substr(kHeader, size - kHeader);
  if (expected_[0] != type || wanted != body) {
    return "its own server would have said " +
           message_text(wire::Sender::server, expected_[0], wanted);
  }
  expected_.erase(0, size);
  return {};
}

void OwnServer::answer_next(std::string_view sqlstate) {
  const Message next = std::move(sent_.front());
  sent_.pop_front();
  const std::string sql = model_.statement_of(next.type, next.body);
  if (sqlstate == "57014" && !sql.empty() && take_cancel_(sql)) {
    model_.cancel_next();
    ++cancelled_;
  }
  model_.receive(next.type, next.body, expected_);
}

// What was to be answered next was not run, and what follows up to its Sync is skipped.
std::string OwnServer::skip_unit() {
  if (model_.is_in_transaction()) return "there was no server in the middle of a transaction";
  if (sent_.empty()) return "there was no server, although it wanted none";
  ++unserved_;
  // Only Flush has no answer.
  while (!sent_.empty()) {
    const Message next = std::move(sent_.front());
    sent_.pop_front();
    const auto type = static_cast<ClientMessage>(next.type);
    if (type == ClientMessage::query || type == ClientMessage::sync) {
      model_.receive(static_cast<char>(ClientMessage::sync), {}, expected_);
      return {};
    }
  }
  return {};
}

}  // namespace forebay::sim
