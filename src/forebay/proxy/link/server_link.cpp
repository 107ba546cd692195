#include "forebay/proxy/link/server_link.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "forebay/detail/base/check.hpp"
#include "forebay/env/condition.hpp"
#include "forebay/env/loop_group.hpp"
#include "forebay/postgres/driver/server_answer.hpp"
#include "forebay/proxy/link/cancel_call.hpp"
#include "forebay/proxy/link/server_words.hpp"
#include "forebay/wire/protocol/bytes.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/server_messages.hpp"

namespace forebay::proxy {
namespace {

using Copy = wire::PendingAnswers::Copy;
using wire::ServerMessage;

constexpr std::string_view kCanceled = "57014";

// A statement that ends by itself within this need not be cancelled; and one that was sent just now
// has been begun by then. A cancel that comes before is not for it.
constexpr Duration kMoment = std::chrono::milliseconds(50);

// Requests that may keep a server busy; Sync may have to commit.
constexpr std::string_view kMayRun = "QFES";

std::string terminate() {
  std::string out;
  wire::write_terminate(out);
  return out;
}

}  // namespace

// A request to cancel that is under way. It lives in the frame of the task that sent it, which may
// outlive the link.
class ServerLink::CancelCall {
 public:
  explicit CancelCall(ServerLink& link) : link_(&link), done_(*link.scheduler_) {
    link.cancel_call_ = this;
  }
  CancelCall(const CancelCall&) = delete;
  CancelCall& operator=(const CancelCall&) = delete;
  ~CancelCall() { FOREBAY_CHECK(link_ == nullptr, "a cancel call was not ended"); }

  void forget_link() { link_ = nullptr; }
  // Those who share it hear the same.
  void end(const Result<void>& outcome) {
    if (link_ != nullptr) link_->cancel_call_ = nullptr;
    link_ = nullptr;
    for (std::optional<Result<void>>* const sharer : sharers_) *sharer = outcome;
    done_.notify_all();
  }
  Task<Result<void>> share(Instant deadline) {
    std::optional<Result<void>> outcome;
    sharers_.push_back(&outcome);
    const bool is_done = co_await done_.wait_until(deadline);
    if (is_done) co_return *outcome;  // and this object is gone
    std::erase(sharers_, &outcome);
    co_return failure(Errc::timed_out, "a cancel ran into its deadline");
  }

 private:
  ServerLink* link_;
  Condition done_;
  std::vector<std::optional<Result<void>>*> sharers_;
};

ServerLink::ServerLink(LinkParts parts)
    : scheduler_(&parts.env.scheduler),
      network_(&parts.env.network),
      stream_(std::move(parts.stream)),
      frames_(std::move(parts.frames)),
      picture_(std::move(parts.picture)),
      address_(address_of(stream_->peer(), parts.address)),
      key_(std::move(parts.key)),
      profile_(std::move(parts.profile)),
      notice_(parts.notice) {
  frames_.want_whole(kShownWhole);
}

ServerLink::~ServerLink() {
  if (cancel_call_ != nullptr) cancel_call_->forget_link();
}

bool ServerLink::is_usable() const noexcept {
  return !is_lost_ && picture_.answers.is_certain() && !needs_cancel();
}

bool ServerLink::needs_reset() const noexcept {
  return !picture_.leftovers.empty() || !picture_.answers.is_idle() || cancel_call_ != nullptr ||
         picture_.answers.transaction() != wire::TransactionStatus::idle;
}

bool ServerLink::needs_cancel() const noexcept {
  const wire::PendingAnswers& answers = picture_.answers;
  const bool can_cancel = profile_.can_cancel && key_.is_known();
  const bool is_running = !answers.is_idle() && answers.copy() != Copy::in &&
                          answers.current() != '\0' && kMayRun.contains(answers.current());
  return can_cancel && is_running && answers.is_certain() && !is_lost_;
}

Task<bool> ServerLink::is_still_there() {
  co_await look();
  co_return is_usable() && picture_.answers.is_idle();
}

Task<void> ServerLink::look() {
  for (;;) {
    take_frames();
    if (is_lost_) co_return;
    const Result<std::size_t> got = co_await stream_->read(frames_.room(), Instant::min());
    if (got && *got > 0) {
      frames_.add(*got);
      continue;
    }
    if (!got && got.error().code() == Errc::timed_out) co_return;
    note_end(got);
    co_return;
  }
}

Task<Result<void>> ServerLink::request_cancel(Instant deadline) {
  Scheduler& caller = here(*scheduler_);
  co_await resume_on(*scheduler_);
  Result<void> outcome = co_await request_cancel_here(deadline);
  co_await resume_on(caller);
  co_return outcome;
}

Task<Result<void>> ServerLink::request_cancel_here(Instant deadline) {
  if (!profile_.can_cancel || !key_.is_known())
    co_return failure(Errc::invalid, "this server cannot cancel");
  if (cancel_call_ != nullptr) co_return co_await cancel_call_->share(deadline);
  CancelCall call(*this);
  Result<void> outcome = co_await call_to_cancel(*network_, address_, key_, deadline);
  call.end(outcome);
  co_return outcome;
}

Task<bool> ServerLink::wait_for_cancel_call(Instant deadline) {
  while (cancel_call_ != nullptr && scheduler_->now() < deadline) {
    const Result<void> outcome = co_await cancel_call_->share(deadline);
    static_cast<void>(outcome);  // it is over, well or not
  }
  co_return cancel_call_ == nullptr;
}

Task<Result<void>> ServerLink::move_to(Scheduler& scheduler, StreamNetwork& network) {
  Scheduler& caller = here(scheduler);
  co_await resume_on(*scheduler_);
  FOREBAY_CHECK(cancel_call_ == nullptr, "a link moved while its cancel was under way");
  stream_->leave();
  co_await resume_on(scheduler);
  Result<void> joined = stream_->join(network);
  scheduler_ = &scheduler;
  network_ = &network;
  if (!joined) is_lost_ = true;
  co_await resume_on(caller);
  co_return joined;
}

Task<Result<void>> ServerLink::cancel(Instant deadline) {
  Scheduler& caller = here(*scheduler_);
  co_await resume_on(*scheduler_);
  Result<void> outcome = co_await cancel_here(deadline);
  co_await resume_on(caller);
  co_return outcome;
}

// The session may be used again only if the cancel is over and has met its statement. One that came
// too late for it may, behind a pooler, still be on its way to whatever is sent next.
Task<Result<void>> ServerLink::cancel_here(Instant deadline) {
  const Instant soon = std::min(deadline, deadline_after(scheduler_->now(), kMoment));
  const Result<void> ended = co_await drain(soon);
  if (ended || is_lost_) co_return ended;
  has_met_cancel_ = false;
  const Result<void> requested = co_await request_cancel(deadline);
  if (!requested) co_return lose(requested.error());
  const Result<void> drained = co_await drain(deadline);
  if (!drained) co_return lose(drained.error());
  if (!has_met_cancel_)
    co_return lose(Error(Errc::connection_lost, "the statement had ended when its cancel came"));
  co_return Result<void>();
}

Task<Result<void>> ServerLink::reset(Instant deadline) {
  Scheduler& caller = here(*scheduler_);
  co_await resume_on(*scheduler_);
  Result<void> outcome = co_await reset_here(deadline);
  co_await resume_on(caller);
  co_return outcome;
}

Task<Result<void>> ServerLink::reset_here(Instant deadline) {
  if (!is_usable()) co_return lose(Error(Errc::connection_lost, "the session is of no more use"));
  const bool is_quiet = co_await wait_for_cancel_call(deadline);
  if (!is_quiet) co_return lose(Error(Errc::timed_out, "a cancel was still under way"));
  const Result<void> drained = co_await drain(deadline);
  if (!drained) co_return lose(drained.error());
  const bool is_in_transaction = picture_.answers.transaction() != wire::TransactionStatus::idle;
  const wire::Leftovers leftovers = picture_.leftovers;
  std::string out;
  for (const std::string& message : profile_.reset_messages(leftovers, is_in_transaction)) {
    wire::write_query(out, message);
    picture_.answers.sent(static_cast<char>(wire::ClientMessage::query));
  }
  if (!out.empty()) {
    last_error_.reset();
    Result<void> sent = co_await send(std::move(out), deadline);
    if (sent) sent = co_await drain(deadline);
    if (!sent) co_return lose(sent.error());
    if (last_error_) co_return lose(*last_error_);
  }
  if (picture_.answers.transaction() != wire::TransactionStatus::idle)
    co_return lose(Error(Errc::connection_lost, "a transaction could not be ended"));
  picture_.cleared(leftovers);
  co_return Result<void>();
}

Task<Result<void>> ServerLink::check(Instant deadline) {
  Scheduler& caller = here(*scheduler_);
  co_await resume_on(*scheduler_);
  const Result<std::size_t> answered = co_await run(profile_.check_statement, deadline);
  co_await resume_on(caller);
  if (!answered) co_return lose(answered.error());
  co_return Result<void>();
}

Task<Result<std::size_t>> ServerLink::run(std::string sql, Instant deadline) {
  if (!is_usable()) {
    co_return failure(Errc::connection_lost, "the session is of no more use");
  }
  FOREBAY_CHECK(picture_.answers.is_idle(), "a statement of our own among those of others");
  std::string out;
  wire::write_query(out, sql);
  picture_.answers.sent(static_cast<char>(wire::ClientMessage::query));
  picture_.unnamed_there = 0;  // a query drops it
  last_error_.reset();
  rows_ = 0;
  Result<void> done = co_await send(std::move(out), deadline);
  if (done) done = co_await drain(deadline);
  if (!done) co_return lose(done.error());
  if (last_error_) co_return failure(*last_error_);
  co_return rows_;
}

Task<bool> ServerLink::close(Instant deadline) {
  Scheduler& caller = here(*scheduler_);
  co_await resume_on(*scheduler_);
  const bool is_gone = co_await close_here(deadline);
  co_await resume_on(caller);
  co_return is_gone;
}

Task<bool> ServerLink::close_here(Instant deadline) {
  is_lost_ = true;
  const bool is_quiet = co_await wait_for_cancel_call(deadline);
  if (!is_quiet) co_return false;
  if (!goodbye_) {
    goodbye_.emplace(*scheduler_, std::move(stream_), is_cut_off_ ? std::string() : terminate());
    if (is_gone_) goodbye_->note_gone();
    if (is_silent_) goodbye_->note_silence();
  }
  co_return co_await goodbye_->run(notice_, deadline);
}

Task<Result<void>> ServerLink::drain(Instant deadline) {
  has_said_sync_ = false;
  has_failed_copy_ = false;
  for (;;) {
    take_frames();
    if (is_lost_ || !picture_.answers.is_certain()) {
      const bool has_words = last_error_ && last_error_->code() == Errc::connection_lost;
      co_return lose(has_words ? *last_error_ : out_of_step("nobody asked for what it answers"));
    }
    if (picture_.answers.is_idle()) co_return Result<void>();
    std::string words = words_to_end_it();
    if (!words.empty()) {
      const Result<void> sent = co_await send(std::move(words), deadline);
      if (!sent) co_return sent;
    }
    const Result<void> received = co_await receive(deadline);
    if (!received) co_return received;
  }
}

// A Sync that is not needed is only sent where no COPY can begin: the server would swallow it.
std::string ServerLink::words_to_end_it() {
  wire::PendingAnswers& answers = picture_.answers;
  std::string out;
  const auto say = [&](wire::ClientMessage type) { answers.sent(static_cast<char>(type)); };
  const bool is_copy = answers.copy() == Copy::in && !has_failed_copy_;
  if (is_copy) {
    has_failed_copy_ = true;
    wire::write_copy_fail(out, "the client is gone");
    say(wire::ClientMessage::copy_fail);
  }
  const bool is_answered =
      answers.current() != '\0' && std::string_view("QFS").contains(answers.current());
  if (is_copy || (!is_answered && !has_said_sync_)) {
    has_said_sync_ = true;
    wire::write_sync(out);
    say(wire::ClientMessage::sync);
  }
  return out;
}

Task<Result<void>> ServerLink::send(std::string bytes, Instant deadline) {
  const ConstBytes piece = wire::bytes_of(bytes);
  const Result<void> written = co_await stream_->write(std::span(&piece, 1), deadline);
  if (written) co_return Result<void>();
  // Its last words may be there to be read.
  if (written.error().code() == Errc::connection_lost) co_return Result<void>();
  co_return lose(written.error());
}

Task<Result<void>> ServerLink::receive(Instant deadline) {
  const Result<std::size_t> got = co_await stream_->read(frames_.room(), deadline);
  if (got && *got > 0) {
    frames_.add(*got);
    co_return Result<void>();
  }
  if (!got && got.error().code() == Errc::timed_out) co_return failure(got.error());
  note_end(got);
  if (got) co_return lose(Error(Errc::connection_lost, "the server closed the connection"));
  co_return lose(got.error());
}

void ServerLink::note_end(const Result<std::size_t>& got) {
  is_lost_ = true;
  is_silent_ = !got && is_silence(got.error());
  is_gone_ = got.has_value() || (got.error().code() == Errc::connection_lost && !is_silent_);
}

void ServerLink::take_frames() {
  for (wire::Frame frame = frames_.next(); frame.kind != wire::Frame::Kind::none;
       frame = frames_.next()) {
    take(frame);
    if (is_lost_) return;
  }
}

// The type of a message counts once, when its first piece comes.
void ServerLink::take(const wire::Frame& frame) {
  using Kind = wire::Frame::Kind;
  if (frame.kind == Kind::broken) is_lost_ = true;
  if (frame.kind != Kind::whole && frame.kind != Kind::first) return;
  switch (static_cast<ServerMessage>(frame.type)) {
    case ServerMessage::parameter_status: note_parameter(frame.body); break;
    case ServerMessage::error_response: note_error(frame.body); break;
    case ServerMessage::data_row: ++rows_; break;
    default: break;
  }
  if (is_lost_) return;
  if (!picture_.answers.received(frame.type, frame.body)) is_lost_ = true;
}

void ServerLink::note_parameter(std::string_view body) {
  const Result<wire::ParameterStatusView> status = wire::parse_parameter_status(body);
  if (!status) {
    is_lost_ = true;
    return;
  }
  picture_.reported.insert_or_assign(std::string(status->name), std::string(status->value));
  picture_.fitted_for = 0;
}

void ServerLink::note_error(std::string_view body) {
  last_error_ = refusal_of_statement(body);
  if (last_error_->sqlstate() == kCanceled) has_met_cancel_ = true;
  if (postgres::ends_session(*last_error_, profile_.rechecks_identity)) is_lost_ = true;
}

std::unexpected<Error> ServerLink::lose(Error why) {
  is_lost_ = true;
  return failure(std::move(why));
}

}  // namespace forebay::proxy
