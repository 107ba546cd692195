// What a client sends, but for prepared statements: those are in statement_requests.cpp.
#include "forebay/detail/base/check.hpp"
#include "forebay/proxy/session/client_session.hpp"
#include "forebay/proxy/session/statement_texts.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "forebay/wire/protocol/violation.hpp"

namespace forebay::proxy {

using wire::ClientMessage;
using wire::Frame;

namespace {

// What a proxy answers by itself begins with DEALLOCATE or DISCARD. Any other text is read when its
// server is there, once.
bool may_be_ours(std::string_view sql) {
  const std::size_t begin = sql.find_first_not_of(" \t\n\v\f\r");
  if (begin == std::string_view::npos) return false;
  const char letter = static_cast<char>(sql[begin] | 0x20);
  return letter == 'd' || letter < 'a' || letter > 'z';
}

bool is_copy(ClientMessage type) {
  return type == ClientMessage::copy_data || type == ClientMessage::copy_done ||
         type == ClientMessage::copy_fail;
}

}  // namespace

Verdict ClientSession::from_client(const Frame& frame, Output& out) {
  if (is_over_ || has_left_) return Verdict::end;
  FOREBAY_CHECK(is_welcome() && (server_ == nullptr || is_fitted()));
  const bool is_piece = frame.kind == Frame::Kind::middle || frame.kind == Frame::Kind::last;
  return is_piece ? continue_message(frame, out) : begin_message(frame, out);
}

Verdict ClientSession::begin_message(const Frame& frame, Output& out) {
  wanting_ = 0;
  const auto type = static_cast<ClientMessage>(frame.type);
  if (type == ClientMessage::terminate) {
    has_left_ = true;  // what it asked for before is still answered
    return Verdict::end;
  }
  if (type == ClientMessage::password) {
    return violation(wire::violation("a password was sent after the log-in"), out);
  }
  if (is_skipping_ && type != ClientMessage::sync) return skip(frame);
  if (!fit_error_.empty()) return fail_fitted(frame, out);
  if (shared_.rules.pooling == Pooling::session) {
    if (server_ != nullptr) return pass_on(frame);
    if (type == ClientMessage::sync || type == ClientMessage::flush) return on_sync(frame, out);
    if (is_copy(type)) return on_copy(frame);
    return want_server(frame);
  }
  switch (type) {
    case ClientMessage::query: return on_query(frame, out);
    case ClientMessage::parse: return on_parse(frame, out);
    case ClientMessage::bind: return on_bind(frame, out);
    case ClientMessage::describe: return on_describe(frame, out);
    case ClientMessage::execute: return on_execute(frame, out);
    case ClientMessage::close: return on_close(frame, out);
    case ClientMessage::sync:
    case ClientMessage::flush: return on_sync(frame, out);
    case ClientMessage::function_call: return on_function_call(frame, out);
    case ClientMessage::copy_data:
    case ClientMessage::copy_done:
    case ClientMessage::copy_fail: return on_copy(frame);
    default: break;
  }
  return violation(wire::violation("no client sends this message"), out);
}

Verdict ClientSession::continue_message(const Frame& frame, Output& out) {
  // An error came before the names were all there: nothing of this Bind has gone to the server.
  if (rest_ == Rest::bind_head && is_skipping_) {
    held_ = {};
    rest_ = Rest::drop;
  }
  if (rest_ == Rest::bind_head) {
    held_ += frame.body;
    const Verdict verdict = write_bind_head(held_, frame.length, out);
    if (rest_ != Rest::bind_head) held_ = {};
    if (frame.kind != Frame::Kind::last || verdict == Verdict::end) return verdict;
    if (rest_ == Rest::bind_head) {
      return violation(wire::violation("malformed message Bind: a text has no end"), out);
    }
    rest_ = Rest::none;
    return verdict;
  }
  const Verdict verdict = rest_ == Rest::forward ? Verdict::forward : Verdict::done;
  if (frame.kind == Frame::Kind::last) rest_ = Rest::none;
  return verdict;
}

// As it is. What is owed for it is known by its type.
Verdict ClientSession::pass_on(const Frame& frame) {
  server_->answers.sent(frame.type);
  if (frame.kind == Frame::Kind::first) rest_ = Rest::forward;
  return Verdict::forward;
}

Verdict ClientSession::want_server(const Frame& frame) {
  wanting_ = frame.type;
  is_wanting_in_pieces_ = frame.kind == Frame::Kind::first;
  return Verdict::acquire;
}

Verdict ClientSession::skip(const Frame& frame) {
  if (frame.kind == Frame::Kind::first) rest_ = Rest::drop;
  return Verdict::done;
}

// The server could not be given the client's parameters: the message that waited for it fails.
Verdict ClientSession::fail_fitted(const Frame& frame, Output& out) {
  out.to_client += std::exchange(fit_error_, {});
  const auto type = static_cast<ClientMessage>(frame.type);
  if (type == ClientMessage::query || type == ClientMessage::function_call) {
    wire::write_ready_for_query(out.to_client, wire::TransactionStatus::idle);
  } else {
    is_skipping_ = true;
  }
  return skip(frame);
}

Verdict ClientSession::on_query(const Frame& frame, Output& out) {
  const Result<wire::QueryView> query = wire::parse_query(frame.body);
  if (!query) return violation(query.error(), out);
  if (server_ == nullptr && !may_be_ours(query->sql)) return want_server(frame);
  const wire::StatementReading reading = shared_.texts.read(query->sql);
  if (is_free() && !is_pinned() && answer_query(reading, out)) return Verdict::done;
  if (server_ == nullptr) return want_server(frame);

  const wire::Leftovers pins = pins_of(reading);
  if (try_refuse('Q', pins, out)) return Verdict::done;
  mark(reading, pins);
  bool has_own_names = false;
  for (const auto* const names : {&reading.executes, &reading.deallocates}) {
    for (const std::string& name : *names) {
      const StatementRef* const statement = statements_.find(name);
      if (statement == nullptr) continue;
      bring_under_own_name(name, (*statement)->body(), Whose::silent, out);
      has_own_names = true;
    }
  }
  if (has_own_names) {
    wire::write_sync(out.to_server);
    expect('S', Whose::silent);
  }
  const bool drops_all = reading.deallocates_all || reading.discards_all;
  const bool has_change = drops_all || !reading.deallocates.empty() || statements_.unnamed().exists;
  if (drops_all) {
    statements_.drop_all();
    server_->statements.doubt_all();
  } else if (has_change) {
    statements_.drop(reading.deallocates);
  }
  if (has_change) statements_.drop_unnamed_too();
  expect('Q', Whose::client).has_change = has_change;
  server_->unnamed_there = 0;
  if (!may_restore(reading)) return Verdict::forward;
  out.to_server += frame.bytes;
  restore(reading.discards_all ? std::vector<wire::SettingChange>{{.name = {}, .is_reset = true}}
                               : reading.settings,
          out);
  return Verdict::done;
}

// True: it was about the client's own picture and nothing else, and no server need know of it.
bool ClientSession::answer_query(const wire::StatementReading& reading, Output& out) {
  if (!reading.is_single) return false;
  std::string_view tag;
  if (reading.deallocates_all) {
    statements_.drop_all();
    tag = "DEALLOCATE ALL";
  } else if (reading.discards_all && parameters_.changed().empty()) {
    statements_.drop_all();
    tag = "DISCARD ALL";
  } else if (reading.deallocates.size() == 1 &&
             statements_.find(reading.deallocates[0]) != nullptr) {
    statements_.drop(reading.deallocates);
    tag = "DEALLOCATE";
  } else {
    return false;
  }
  statements_.drop_unnamed_too();
  statements_.keep_first();
  wire::write_command_complete(out.to_client, tag);
  wire::write_ready_for_query(out.to_client, wire::TransactionStatus::idle);
  return true;
}

Verdict ClientSession::on_sync(const Frame& frame, Output& out) {
  const Result<void> checked = wire::parse_empty(wire::Sender::client, frame.type, frame.body);
  if (!checked) return violation(checked.error(), out);
  const bool is_sync = static_cast<ClientMessage>(frame.type) == ClientMessage::sync;
  if (server_ == nullptr) {
    if (is_sync) wire::write_ready_for_query(out.to_client, wire::TransactionStatus::idle);
    if (is_sync) is_skipping_ = false;
    return Verdict::done;
  }
  if (!is_sync) return Verdict::forward;
  is_skipping_ = false;
  if (shared_.rules.pooling == Pooling::session) return pass_on(frame);
  expect('S', Whose::client);
  if (resets_.empty()) return Verdict::forward;
  out.to_server += frame.bytes;
  restore(std::exchange(resets_, {}), out);
  return Verdict::done;
}

Verdict ClientSession::on_function_call(const Frame& frame, Output& out) {
  const Result<wire::FunctionCallView> call = wire::parse_function_call(frame.body);
  if (!call) return violation(call.error(), out);
  refuse('F', {}, out);
  return Verdict::done;
}

Verdict ClientSession::on_execute(const Frame& frame, Output& out) {
  const Result<wire::ExecuteView> execute = wire::parse_execute(frame.body);
  if (!execute) return violation(execute.error(), out);
  if (server_ == nullptr) return want_server(frame);
  Expected& expected = expect('E', Whose::client);
  for (const auto& [portal, names] : dropping_portals_) {
    if (portal != execute->portal) continue;
    expected.has_change = true;
    if (names.empty()) {
      statements_.drop_all();
      server_->statements.doubt_all();
    } else {
      statements_.drop(names);
    }
    break;
  }
  return Verdict::forward;
}

Verdict ClientSession::on_close(const Frame& frame, Output& out) {
  const Result<wire::TargetView> close = wire::parse_close(frame.body);
  if (!close) return violation(close.error(), out);
  const bool is_statement = close->target == wire::Target::statement;
  bool is_servers = server_ != nullptr && !is_statement;
  if (is_statement) {
    if (close->name.empty()) {
      is_servers = server_ != nullptr && server_->unnamed_there != 0;
      if (is_servers) server_->unnamed_there = 0;
      statements_.drop_unnamed();
    } else {
      // Where it is under this very name, too, EXECUTE would find it.
      is_servers = server_ != nullptr && is_borrowed(close->name);
      statements_.drop(close->name);
    }
  }
  if (is_servers) {
    Expected& expected = expect('C', Whose::client);
    expected.has_change = is_statement;
    expected.is_unnamed = is_statement && close->name.empty();
    return Verdict::forward;
  }
  queue_.push({.type = 'C', .whose = Whose::ours, .has_change = is_statement});
  say_ours(out);
  return Verdict::done;
}

// A server that reads no COPY ignores it, and so do we without one.
Verdict ClientSession::on_copy(const Frame& frame) {
  return server_ == nullptr ? skip(frame) : pass_on(frame);
}

}  // namespace forebay::proxy
