// How a client comes by a server, what it hears from it, and how the server goes back.
#include <array>

#include "forebay/base/log.hpp"
#include "forebay/detail/pool/observed_span.hpp"
#include "forebay/pool/pool_control.hpp"
#include "forebay/proxy/client_flow.hpp"
#include "forebay/proxy/link/server_link.hpp"

namespace forebay::proxy {

namespace {

// What is shorter is cheaper to copy than to send by itself.
constexpr std::size_t kWorthNoCopy = 4096;

// Who sends more than this ahead is only missed when its turn has come.
constexpr std::size_t kMostAhead = std::size_t{16} * 1024;

// A server that somebody used so lately is not looked at before the next one uses it: servers that
// go away do so while they are idle, or take what is said next with them at any time.
constexpr Duration kMoment = std::chrono::milliseconds(10);

// Who gets a server sooner is not read meanwhile: that costs more than the wait. Of those who hang
// up we hear that much later.
constexpr Duration kShortLine = std::chrono::milliseconds(10);

ServerLink& link_of(const PooledConnection& taken) {
  return static_cast<ServerLink&>(taken.connection());
}

bool was_in_use(const PooledConnection& taken, const Scheduler& scheduler) {
  return link_of(taken).was_given_back_since(scheduler.recent_now() - kMoment);
}

// For a client that got no server, whatever it is that the pool was short of.
Error no_server(const Error& why) {
  if (why.code() != Errc::timed_out) return why;
  return Error(Errc::limit_reached, why.text());
}

}  // namespace

// Without a task, where nobody has to wait. Nothing: none is ready, or it is for stand_in_line() to
// take it, or the client is to hear something first.
PooledConnection ClientFlow::take_ready() {
  const bool is_observed = route_->observation().observer != nullptr;
  if (is_observed || !try_send_to_client()) return {};
  // Not try_acquire(): who finds nothing here stands in line, and is counted there.
  Acquire acquiring = route_->pool().acquire(kNever);
  if (!acquiring.await_ready()) return {};
  Result<PooledConnection> ready = acquiring.await_resume();
  return ready ? std::move(*ready) : PooledConnection();
}

// True: it serves now. It is taken, unless it is to be looked at first.
bool ClientFlow::try_begin_stay(PooledConnection& ready) {
  if (!ready || !was_in_use(ready, scheduler_)) return false;
  begin_stay(std::move(ready));
  return session_->is_fitted();
}

void ClientFlow::begin_stay(PooledConnection taken) {
  ServerLink& server = link_of(taken);
  stay_ = std::make_unique<Stay>(std::move(taken), server);
  ++counters_->stays;
  session_->attach(server.picture(), out_);
  followers_.spawn(follow_server(*stay_));
}

// With a server that is ready, or else with one that is waited for.
Task<Result<void>> ClientFlow::bring_server(PooledConnection ready, Instant deadline) {
  while (stay_ == nullptr) {
    if (!ready) {
      Result<PooledConnection> taken = co_await stand_in_line(deadline);
      if (!taken) co_return failure(taken.error());
      ready = std::move(*taken);
    }
    bool is_there = was_in_use(ready, scheduler_);
    if (!is_there) is_there = co_await link_of(ready).is_still_there();
    if (is_there) {
      begin_stay(std::move(ready));
      break;
    }
    ready.mark_broken();
    ready = take_ready();
  }
  bool is_sent = true;
  if (!out_.to_server.empty()) is_sent = co_await send_to_server();
  if (!is_sent) co_return failure(Errc::connection_lost, "the server was lost before it was used");
  // A server that only had to say what it makes of the client's parameters may be gone by then.
  while (session_->is_attached() && !session_->is_fitted() && !is_ending_)
    co_await changed_.wait_until(kNever);
  co_return Result<void>();
}

// Begins to read the client when it has stood in line for a while.
class ClientFlow::LateWatch : public Timer {
 public:
  LateWatch(ClientFlow& flow, Cancellation& gone) : Timer(&begin), flow_(flow), gone_(gone) {
    flow_.scheduler_.arm(*this, deadline_after(flow_.scheduler_.recent_now(), kShortLine));
  }
  LateWatch(const LateWatch&) = delete;
  LateWatch& operator=(const LateWatch&) = delete;
  ~LateWatch() { flow_.scheduler_.disarm(*this); }

 private:
  static void begin(Timer& timer) {
    LateWatch& self = static_cast<LateWatch&>(timer);
    self.flow_.watchers_.spawn(self.flow_.watch_client(self.gone_));
  }

  ClientFlow& flow_;
  Cancellation& gone_;
};

// A client that hangs up while it stands in line leaves it soon.
Task<Result<PooledConnection>> ClientFlow::stand_in_line(Instant deadline) {
  Pool& pool = route_->pool();
  detail::ObservedSpan span(route_->observation(), scheduler_);
  if (span) {
    span.begin(ObservedStep::acquire, {}, {});
    if (std::optional<PooledConnection> ready = pool.try_acquire()) {
      span.end(nullptr);
      co_return std::move(*ready);
    }
  }
  ++counters_->waits;
  ++counters_->waiting;
  Cancellation gone(scheduler_);
  is_in_line_ = true;
  std::optional<LateWatch> watch(std::in_place, *this, gone);
  Result<PooledConnection> taken = co_await pool.acquire(Until(deadline, gone));
  if (span) span.end(taken ? nullptr : &taken.error());
  --counters_->waiting;
  is_in_line_ = false;
  watch.reset();
  if (watchers_.running() > 0) {
    stream_->interrupt_read();
    co_await watchers_.join();
  }
  if (!taken) co_return failure(no_server(taken.error()));
  co_return taken;
}

// Reads ahead, to notice the end.
Task<void> ClientFlow::watch_client(Cancellation& gone) {
  std::array<std::byte, 512> piece;
  for (;;) {
    if (!is_in_line_ || ahead_.size() >= kMostAhead) co_return;
    const Result<std::size_t> got = co_await stream_->read(Bytes(piece), kNever);
    if (!got && got.error().code() == Errc::timed_out) continue;  // woken; maybe for its turn
    if (!got || *got == 0) break;
    ahead_.append(reinterpret_cast<const char*>(piece.data()), *got);
  }
  is_client_gone_ = true;
  ++counters_->clients_lost;
  gone.cancel();
}

Task<void> ClientFlow::follow_server(Stay& stay) {
  while (!stay.is_lost && !stay.is_over) {
    const Instant deadline = server_deadline(stay);
    Result<std::size_t> got =
        co_await stay.server.stream().read(stay.server.frames().room(), deadline);
    if (!got || *got == 0) {
      const bool goes_on = co_await bear_silence(stay, std::move(got), deadline);
      if (!goes_on) co_return;
      continue;
    }
    stay.server.frames().add(*got);
    // What came of a client that must go is for the one who clears up after it.
    if (is_ending_) co_return;
    for (wire::Frame frame = stay.server.frames().next(); frame.kind != wire::Frame::Kind::none;
         frame = stay.server.frames().next()) {
      if (frame.kind == wire::Frame::Kind::broken) {
        lose_server(stay, stay.server.frames().problem());
        break;
      }
      const bool is_shown = is_for_client(frame);
      bool is_sent = true;
      if (is_shown && frame.bytes.size() < kWorthNoCopy) {
        out_.to_client.append(frame.bytes);
      } else if (is_shown) {
        is_sent = co_await send_to_client(frame.bytes);
      }
      if (!is_sent) co_return;
      if (is_ending_) break;
    }
    changed_.notify_all();
    bool is_released = try_release();
    if (!is_released && session_->may_release()) is_released = co_await release_if_done();
    bool is_told = try_send_to_client();
    if (!is_told) is_told = co_await send_to_client();
    if (is_released) to_client_.shrink(out_.to_client);
    if (is_released || !is_told) co_return;
    // From now on the client is idle in a transaction: the task that reads it looks at the clock.
    if (limits().idle_in_transaction != Duration::max() && !session_->is_busy())
      stream_->interrupt_read();
  }
}

// A read brought nothing. False: there is nothing more to hear, because the server is lost or the
// client leaves.
Task<bool> ClientFlow::bear_silence(Stay& stay, Result<std::size_t> got, Instant deadline) {
  if (is_ending_) co_return false;
  if (!got && got.error().code() == Errc::timed_out) {
    // It may only have been woken: for a new deadline, or because its time is over.
    if (scheduler_.now() >= deadline) cancel_late_query(stay);
    co_return true;
  }
  lose_server(stay,
              got ? Error(Errc::connection_lost, "the server closed the connection") : got.error());
  co_await send_to_client();
  co_return false;
}

Instant ClientFlow::server_deadline(const Stay& stay) const {
  if (stay.is_cancelled || stay.busy_since == Instant()) return kNever;
  return deadline_after(stay.busy_since, limits().query);
}

// Of what was sent up to a Sync; what was sent behind it has its time from then on.
void ClientFlow::begin_query_time(Stay& stay) const {
  const bool has_limit = limits().query != Duration::max() && session_->is_busy();
  stay.busy_since = has_limit ? scheduler_.now() : Instant();
  stay.is_cancelled = false;
}

// The task that reads the server may be waiting already, without a limit.
void ClientFlow::watch_query_time() {
  if (stay_ == nullptr || stay_->busy_since != Instant()) return;
  begin_query_time(*stay_);
  if (stay_->busy_since != Instant()) stay_->server.stream().interrupt_read();
}

// The client hears what the server says of it: query_canceled; or its answer, if that comes first.
void ClientFlow::cancel_late_query(Stay& stay) {
  stay.is_cancelled = true;
  followers_.spawn(cancel_statement());
}

// What waits for a permit is for what runs now, and for nothing behind it.
void ClientFlow::drop_cancel() {
  if (cancel_wait_ != nullptr) cancel_wait_->cancel();
}

// As the cancels of the pool itself: the server counts a connect.
Task<bool> ClientFlow::permit_cancel() {
  Cancellation needless(scheduler_);
  cancel_wait_ = &needless;
  PoolControl control(route_->pool());
  const Until until(after(limits().cancel), needless);
  const bool is_permitted = co_await control.permit_cancel(until);
  cancel_wait_ = nullptr;
  if (!is_permitted && !needless.is_cancelled()) {
    log::warning("Cancel not passed on",
                 {log::field("client", stream_->peer().address),
                  log::field("reason", "it found no place in the rate of connects in time")});
  }
  changed_.notify_all();
  co_return is_permitted && !needless.is_cancelled();
}

bool ClientFlow::is_for_client(const wire::Frame& frame) {
  const Verdict verdict = session_->from_server(frame, out_);
  if (verdict == Verdict::end) {
    if (!session_->may_release()) lose(*stay_);
    end();
  } else if (static_cast<wire::ServerMessage>(frame.type) == wire::ServerMessage::ready_for_query) {
    begin_query_time(*stay_);
    drop_cancel();
  }
  return verdict == Verdict::forward;
}

// True: the server is with others now, before the client has read a word of the answer. Neither a
// cancel nor the rest of a COPY that has failed may meet the next client.
bool ClientFlow::try_release() {
  if (is_ending_ || !session_->may_release()) return false;
  if (is_cancelling_ || to_server_.is_writing()) return false;
  give_back();
  if (is_asked_to_leave_) stream_->interrupt_read();
  return true;
}

// The same, when it may.
Task<bool> ClientFlow::release_if_done() {
  while (!is_ending_ && session_->may_release()) {
    if (try_release()) co_return true;
    co_await changed_.wait_until(kNever);
  }
  co_return false;
}

void ClientFlow::give_back() {
  if (session_->is_in_message()) {
    stay_->is_lost = true;
    stay_->server.mark_cut_off();
  }
  session_->release();
  const std::unique_ptr<Stay> stay = std::move(stay_);
  out_.to_server.clear();  // only what asks for no answer: COPY data that came too late
  to_server_.shrink(out_.to_server);
  if (stay->is_lost || stay->has_stray_cancel) {
    stay->pooled.mark_broken();
  } else {
    stay->server.note_given_back(scheduler_.recent_now());
    stay->pooled.give_back();
  }
  changed_.notify_all();
}

void ClientFlow::lose_server(Stay& stay, const Error& why) {
  if (stay.is_lost) return;
  lose(stay);
  session_->lose_server(why, out_);
  end();
}

void ClientFlow::lose(Stay& stay) {
  stay.is_lost = true;
  stay.server.mark_lost();
  ++counters_->servers_lost;
}

// What the client leaves behind is the pool's to clear: a statement that runs is cancelled, a
// transaction rolled back.
Task<void> ClientFlow::end_stay() {
  if (stay_ != nullptr) {
    stay_->is_over = true;  // for a task that has not begun to read yet
    stay_->server.stream().interrupt_read();
  }
  drop_cancel();
  co_await followers_.join();
  while (is_cancelling_ || cancel_wait_ != nullptr) co_await changed_.wait_until(kNever);
  const bool is_cut_off = session_ != nullptr && session_->is_mid_message();
  if (stay_ != nullptr && (is_cut_off || !out_.to_server.empty())) co_await leave_in_the_middle();
  if (stay_ != nullptr) give_back();
}

// The server waits for the rest of a message, and would take whatever is said next for that.
Task<void> ClientFlow::leave_in_the_middle() {
  if (stay_->is_lost) co_return;
  co_await cancel_statement();
  lose(*stay_);
}

}  // namespace forebay::proxy
