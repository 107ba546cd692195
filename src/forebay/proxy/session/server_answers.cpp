// What a server sends: whose it is, and what it says about statements and parameters.
#include "forebay/detail/base/check.hpp"
#include "forebay/proxy/session/client_session.hpp"
#include "forebay/proxy/session/session_refusal.hpp"
#include "forebay/wire/protocol/message_writer.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "forebay/wire/protocol/violation.hpp"

namespace forebay::proxy {

using wire::Frame;
using wire::ServerMessage;
using State = ServerStatements::State;

namespace {

constexpr std::string_view kUndefinedStatement = "26000";
constexpr std::string_view kAborted = "25P02";
constexpr std::string_view kStalePlan = "cached plan must not change result type";

// No definition has this number: the unnamed statement may be any, or none.
constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};

// The answer that ends a request of that type.
bool ends_request(char answer, char request) {
  switch (static_cast<ServerMessage>(answer)) {
    case ServerMessage::parse_complete: return request == 'P';
    case ServerMessage::bind_complete: return request == 'B';
    case ServerMessage::close_complete: return request == 'C';
    case ServerMessage::no_data:
    case ServerMessage::row_description: return request == 'D';
    case ServerMessage::portal_suspended:
    case ServerMessage::command_complete:
    case ServerMessage::empty_query_response: return request == 'E';
    default: return false;
  }
}

}  // namespace

Verdict ClientSession::from_server(const Frame& frame, Output& out) {
  if (is_over_) return Verdict::end;
  FOREBAY_CHECK(server_ != nullptr);
  if (frame.kind == Frame::Kind::first) {
    const bool is_news = frame.type == 'A' || frame.type == 'N';
    server_rest_ = is_hidden() && (!is_news || is_fitting_) ? Rest::drop : Rest::forward;
  }
  if (frame.kind == Frame::Kind::first || frame.kind == Frame::Kind::middle)
    return server_rest_ == Rest::forward ? Verdict::forward : Verdict::done;
  server_rest_ = Rest::none;
  if (shared_.rules.pooling == Pooling::session && !is_fitting_) return pass_back(frame, out);
  switch (static_cast<ServerMessage>(frame.type)) {
    case ServerMessage::parameter_status: return on_parameter(frame, out);
    case ServerMessage::error_response: return on_error(frame, out);
    case ServerMessage::ready_for_query: return on_ready(frame, out);
    case ServerMessage::command_complete: return on_command(frame, out);
    case ServerMessage::notification_response:
      return is_fitting_ ? Verdict::done : Verdict::forward;
    case ServerMessage::notice_response: return is_hidden() ? Verdict::done : Verdict::forward;
    default: return on_plain(frame, out);
  }
}

// Session pooling: everything is the client's.
Verdict ClientSession::pass_back(const Frame& frame, Output& out) {
  if (frame.type == 'S') return on_parameter(frame, out);
  if (frame.type == 'E') {
    const Result<wire::ErrorFields> fields = wire::parse_error_fields(frame.body);
    if (!fields || fields->ends_session()) return server_ends(frame, out);
  }
  const bool is_owed = server_->answers.received(frame.type, frame.body);
  return is_owed ? Verdict::forward : out_of_step(out);
}

Verdict ClientSession::server_ends(const Frame& frame, Output& out) {
  out.to_client += frame.bytes;
  is_over_ = true;
  return Verdict::end;
}

Verdict ClientSession::out_of_step(Output& out) {
  return violation(wire::violation("the server sent an answer that nobody asked for"), out);
}

bool ClientSession::is_hidden() const {
  if (is_fitting_ || is_muted_) return true;
  if (queue_.empty()) return false;
  const Whose whose = queue_.front().whose;
  return whose == Whose::swallowed || whose == Whose::silent;
}

// After a message of the server: whether the client sees it, and then what is ours to say.
Verdict ClientSession::show(const Frame& frame, bool is_shown, Output& out) {
  const bool has_more = !queue_.empty() && queue_.front().whose == Whose::ours;
  if (is_shown && !has_more) return Verdict::forward;
  if (is_shown) out.to_client += frame.bytes;
  say_ours(out);
  return Verdict::done;
}

Verdict ClientSession::on_parameter(const Frame& frame, Output& out) {
  const Result<wire::ParameterStatusView> status = wire::parse_parameter_status(frame.body);
  if (!status) return out_of_step(out);
  server_->reported.insert_or_assign(std::string(status->name), std::string(status->value));
  if (is_fitting_) return Verdict::done;
  // Nobody asked: the server's own settings have changed.
  if (server_->answers.is_idle())
    server_->defaults.insert_or_assign(std::string(status->name), std::string(status->value));
  // Between a RESET and what makes up for it the server has a value that the client never has.
  if (restores_ > 0 && parameters_.began_with(status->name)) {
    const bool is_restoring = !queue_.empty() && queue_.front().is_restoring;
    const std::string* const heard = parameters_.find(status->name);
    if (!is_restoring || (heard != nullptr && *heard == status->value)) {
      server_->fitted_for = 0;  // the next one looks
      return Verdict::done;
    }
  }
  parameters_.note(status->name, status->value, *server_);
  renew_serial();
  if (server_->fitted_for != 0) server_->fitted_for = serial_;
  return Verdict::forward;
}

Verdict ClientSession::on_plain(const Frame& frame, Output& out) {
  if (!server_->answers.received(frame.type, frame.body)) return out_of_step(out);
  return answered(frame, out);
}

// An answer that belongs to the first request that waits for one.
Verdict ClientSession::answered(const Frame& frame, Output& out) {
  const bool is_shown = !is_hidden();
  if (is_muted_ || queue_.empty() || !ends_request(frame.type, queue_.front().type))
    return show(frame, is_shown, out);
  const Expected& front = queue_.front();
  if (front.has_change) statements_.keep_first();
  if (ServerStatements::Entry* const entry = server_->statements.find(front.what)) {
    if (front.type == 'P' && entry->state == State::sent) entry->state = State::there;
    if (front.type == 'C' && entry->state == State::closing) server_->statements.erase(front.what);
  }
  queue_.pop();
  return show(frame, is_shown, out);
}

Verdict ClientSession::on_command(const Frame& frame, Output& out) {
  const bool is_copy_in = server_->answers.copy() == wire::PendingAnswers::Copy::in;
  const std::size_t owed = server_->answers.size();
  if (!server_->answers.received(frame.type, frame.body)) return out_of_step(out);
  if (is_copy_in) end_copy(owed - server_->answers.size());
  // A failed transaction lets nothing succeed but its end.
  is_failed_ = false;
  const Result<std::string_view> tag = wire::parse_command_complete(frame.body);
  const bool drops_all = tag && (*tag == "DEALLOCATE ALL" || *tag == "DISCARD ALL");
  // Behind others there may be one more of its kind, which doubted what comes before it.
  if (drops_all && queue_.size() <= 2) server_->statements.erase_doubtful();
  if (tag && *tag == "DISCARD ALL") discarded_all();
  if (!queue_.empty() && (drops_all || (tag && *tag == "DEALLOCATE")))
    queue_.front().is_done = true;
  return answered(frame, out);
}

// What was sent while the server read the data was part of it: a Sync there is never answered.
void ClientSession::end_copy(std::size_t removed) {
  const std::size_t own = queue_.front().type == 'E' ? 2 : 1;  // the end of the data, and itself
  for (std::size_t left = removed > own ? removed - own : 0; left > 0 && queue_.size() > 1; --left)
    queue_.erase(1, 1);
}

// The server has nothing any more that is the client's, and the client nothing on the server.
void ClientSession::discarded_all() {
  server_->leftovers = {};
  server_->applied.clear();
  server_->fitted_for = 0;
  pins_ = {};
  parameters_.reset();
  renew_serial();
}

Verdict ClientSession::on_error(const Frame& frame, Output& out) {
  const Result<wire::ErrorFields> fields = wire::parse_error_fields(frame.body);
  if (!fields || fields->ends_session()) return server_ends(frame, out);
  if (!server_->answers.received(frame.type) || (queue_.empty() && !is_muted_))
    return out_of_step(out);
  if (is_fitting_) fit_error_ = frame.bytes;
  if (is_fitting_ || is_muted_) return Verdict::done;
  const Expected front = queue_.front();
  if (front.type == 'Q' || front.type == 'S') {
    queue_.front().has_failed = true;
  } else {
    doubt_statement(front, *fields);
    const bool has_sync = queue_.before_sync() < queue_.size();
    drop_to_sync(true);
    if (!has_sync) is_skipping_ = true;
    drop_doubtful_syncs();
  }
  if (front.whose == Whose::silent) return Verdict::done;
  if (front.is_refusal) {
    wire::write_error(out.to_client, refusal(front.refused));
    return Verdict::done;
  }
  return show_renamed(*fields, front, out) ? Verdict::done : Verdict::forward;
}

// The server has lost it, or cannot use it any more: next time it is made anew.
void ClientSession::doubt_statement(const Expected& expected, const wire::ErrorFields& fields) {
  ServerStatements::Entry* const entry = server_->statements.find(expected.what);
  if (entry == nullptr) return;
  if (fields.sqlstate() == kUndefinedStatement ||
      (fields.sqlstate() == wire::kNotSupported && fields.message() == kStalePlan))
    entry->state = State::doubtful;
}

// An error about a name of ours is told with the client's. False: there is none in it.
bool ClientSession::show_renamed(const wire::ErrorFields& fields, const Expected& expected,
                                 Output& out) {
  if (expected.what == 0 || fields.sqlstate() != kUndefinedStatement) return false;
  const std::string ours = server_name(expected.what);
  const std::string_view theirs =
      expected.name.empty() ? statements_.name_of(expected.what) : std::string_view(expected.name);
  std::string message(fields.message());
  const std::size_t at = message.find(ours);
  if (at == std::string::npos || theirs.empty()) return false;
  message.replace(at, ours.size(), theirs);
  wire::MessageWriter writer(out.to_client, ServerMessage::error_response);
  for (const auto& [code, text] : fields.all())
    writer.byte(code).text(code == 'M' ? std::string_view(message) : text);
  writer.byte('\0');
  return true;
}

// The server does none of what waits in front of the next Sync.
void ClientSession::drop_to_sync(bool has_first_failed) {
  const std::size_t count = queue_.before_sync();
  std::size_t changes = 0;
  for (std::size_t place = 0; place < count; ++place) {
    const Expected& expected = queue_.at(place);
    if (expected.has_change) ++changes;
    if (expected.is_unnamed) server_->unnamed_there = kNotKnown;
    ServerStatements::Entry* const entry = server_->statements.find(expected.what);
    if (entry == nullptr) continue;
    if ((expected.type == 'P' && entry->state == State::sent) ||
        (expected.type == 'C' && entry->state == State::closing))
      entry->state = State::doubtful;
  }
  const bool is_unnamed_gone = has_first_failed && count > 0 && queue_.front().is_unnamed;
  statements_.undo_first(changes, is_unnamed_gone && queue_.front().has_change);
  queue_.erase(0, count);
}

// A COPY has failed, and the Syncs inside it are not owed for certain any more.
void ClientSession::drop_doubtful_syncs() {
  for (std::size_t left = server_->answers.doubtful(); left > 0 && !queue_.empty(); --left) {
    queue_.erase(0, 1);
    const bool has_sync = queue_.before_sync() < queue_.size();
    drop_to_sync(false);
    if (!has_sync) is_skipping_ = true;
  }
}

// The server had not read a Sync when the COPY around it failed, and so it was skipping no more.
Verdict ClientSession::on_ready_beside() {
  is_failed_ = server_->answers.transaction() == wire::TransactionStatus::failed;
  if (!is_muted_) is_skipping_ = false;
  return Verdict::forward;
}

Verdict ClientSession::on_ready(const Frame& frame, Output& out) {
  const std::size_t doubtful = server_->answers.doubtful();
  if (!server_->answers.received(frame.type, frame.body)) return out_of_step(out);
  if (server_->answers.doubtful() < doubtful) return on_ready_beside();
  if (queue_.empty()) return out_of_step(out);
  const Expected front = queue_.front();
  if (front.type != 'Q' && front.type != 'S') return out_of_step(out);
  is_muted_ = false;
  if (front.is_restoring) --restores_;
  is_failed_ = server_->answers.transaction() == wire::TransactionStatus::failed;
  if (front.has_change && front.has_failed && !front.is_done) {
    statements_.undo_first(1, true);
  } else if (front.has_change) {
    statements_.keep_first();
  }
  queue_.pop();
  if (server_->answers.transaction() == wire::TransactionStatus::idle) dropping_portals_.clear();
  if (is_fitting_) return fit_is_over(out);
  return show(frame, front.whose == Whose::client, out);
}

// What is next in line, and ours.
void ClientSession::say_ours(Output& out) {
  while (!queue_.empty() && queue_.front().whose == Whose::ours) {
    const Expected front = queue_.front();
    if (front.type == 'P' && is_failed_ && !front.is_transaction_exit) return abort_ours(out);
    wire::write_empty(out.to_client, front.type == 'P' ? ServerMessage::parse_complete
                                                       : ServerMessage::close_complete);
    if (front.has_change) statements_.keep_first();
    queue_.pop();
  }
}

// The server would have refused it, and with it all that followed. What did follow went to the
// server, and what comes of it, an error of its own maybe, is not shown.
void ClientSession::abort_ours(Output& out) {
  wire::write_error(out.to_client, {wire::Severity::error, std::string(kAborted),
                                    "current transaction is aborted, commands ignored until end "
                                    "of transaction block"});
  const bool has_sync = queue_.before_sync() < queue_.size();
  drop_to_sync(true);
  is_skipping_ = !has_sync;
  is_muted_ = true;
}

}  // namespace forebay::proxy
