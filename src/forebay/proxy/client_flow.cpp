#include "forebay/proxy/client_flow.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "forebay/base/log.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/proxy/link/server_link.hpp"

namespace forebay::proxy {

namespace {

constexpr std::size_t kReaderMemory = 1024;
constexpr Duration kLastWork = std::chrono::seconds(1);
// What is shorter is cheaper to copy than to send by itself.
constexpr std::size_t kWorthNoCopy = 4096;

wire::FrameOptions client_frames() {
  wire::FrameOptions options;
  options.sender = wire::Sender::client;
  options.whole = kWholeFromClient;
  options.capacity = kReaderMemory;
  return options;
}

}  // namespace

ClientFlow::ClientFlow(const ClientSurroundings& around, std::unique_ptr<ByteStream> stream)
    : around_(around),
      scheduler_(around.env.scheduler),
      stream_(std::move(stream)),
      reader_(client_frames()),
      to_client_(scheduler_),
      to_server_(scheduler_),
      changed_(scheduler_),
      followers_(scheduler_),
      watchers_(scheduler_),
      counters_(&around_.counters) {
  ++counters_->clients_total;
  ++counters_->clients;
}

ClientFlow::~ClientFlow() {
  FOREBAY_CHECK(stay_ == nullptr, "a client ended and kept its server");
  --counters_->clients;
}

Task<void> ClientFlow::run() {
  const bool is_in = co_await log_in();
  if (is_in) co_await serve();
  if (is_in) co_await finish_work();
  end();
  if (session_ != nullptr && session_->ended_for() != nullptr)
    note_refusal(session_->ended_for()->sqlstate, session_->ended_for()->message);
  if (is_client_gone_) stream_->close();  // for a task that still writes to it
  co_await end_stay();
  if (!is_client_gone_) co_await say_goodbye();
  stream_->close();
}

Task<void> ClientFlow::say_goodbye() {
  co_await send_to_client();
  // Whether it still listens makes no difference any more.
  static_cast<void>(co_await stream_->finish(after(kLastWork)));
}

Task<void> ClientFlow::serve() {
  while (!is_ending_) {
    const wire::Frame frame = reader_.next();
    if (frame.kind == wire::Frame::Kind::broken) {
      refuse(wire::report_of(reader_.problem(), wire::Severity::fatal));
      co_return;
    }
    if (frame.kind != wire::Frame::Kind::none) {
      // A cancel on its way must not meet the next statement.
      while (is_cancelling_) co_await changed_.wait_until(kNever);
      if (is_ending_) co_return;
      Verdict verdict = decide(frame);
      if (verdict == Verdict::acquire) {
        PooledConnection ready = take_ready();
        if (try_begin_stay(ready)) verdict = decide(frame);
        if (verdict == Verdict::acquire) verdict = co_await acquire_for(frame, std::move(ready));
      }
      if (verdict == Verdict::end) co_return;
      if (verdict == Verdict::done) continue;
      if (frame.bytes.size() < kWorthNoCopy) {
        out_.to_server.append(frame.bytes);
        continue;
      }
      const bool is_sent = co_await send_to_server(frame.bytes);
      if (!is_sent) co_return;
      continue;
    }
    bool is_sent = try_send_all();
    if (!is_sent) is_sent = co_await send_all();
    if (!is_sent) co_return;
    // It was brought for what it need not do after all, or was done before this came: the rest of a
    // COPY that failed.
    if (stay_ != nullptr && session_->may_release()) co_await end_stay();
    if (is_asked_to_leave_ && stay_ == nullptr) {
      refuse_to_go_on();
      co_return;
    }
    if (take_ahead()) continue;
    if (is_client_gone_) co_return;
    const Instant deadline = client_deadline();
    const Result<std::size_t> got = co_await stream_->read(reader_.room(), deadline);
    if (!note_read(got, deadline)) co_return;
  }
}

bool ClientFlow::try_send_all() {
  return (stay_ == nullptr || try_send_to_server()) && try_send_to_client();
}

Task<bool> ClientFlow::send_all() {
  bool is_sent = true;
  if (stay_ != nullptr && !try_send_to_server()) is_sent = co_await send_to_server();
  if (is_sent && !try_send_to_client()) is_sent = co_await send_to_client();
  co_return is_sent;
}

// end: nothing more is to be read from this client.
Verdict ClientFlow::decide(const wire::Frame& frame) {
  const Verdict verdict = session_->from_client(frame, out_);
  watch_query_time();
  return verdict;
}

Task<Verdict> ClientFlow::acquire_for(wire::Frame frame, PooledConnection ready) {
  Verdict verdict = Verdict::acquire;
  while (verdict == Verdict::acquire) {
    bool is_told = try_send_to_client();
    if (!is_told) is_told = co_await send_to_client();
    if (!is_told || is_ending_) co_return Verdict::end;
    PooledConnection taken = std::exchange(ready, PooledConnection());
    const Result<void> brought =
        co_await bring_server(std::move(taken), after(limits().query_wait));
    if (brought && !is_ending_) {
      verdict = decide(frame);
    } else if (is_client_gone_ || is_ending_) {
      co_return Verdict::end;
    } else {
      ++counters_->unserved;
      co_return session_->fail_unit(brought.error(), out_);
    }
  }
  co_return verdict;
}

// True: some of what came while the client stood in line is to be read now.
bool ClientFlow::take_ahead() {
  if (ahead_.empty()) return false;
  const Bytes room = reader_.room();
  const std::size_t count = std::min(room.size(), ahead_.size() - ahead_begin_);
  std::memcpy(room.data(), ahead_.data() + ahead_begin_, count);
  ahead_begin_ += count;
  reader_.add(count);
  if (ahead_begin_ == ahead_.size()) {
    ahead_begin_ = 0;
    std::string().swap(ahead_);
  }
  return true;
}

// False: the client is gone, or must go.
bool ClientFlow::note_read(const Result<std::size_t>& got, Instant deadline) {
  if (got && *got > 0) {
    reader_.add(*got);
    return true;
  }
  if (is_ending_) return false;
  if (!got && got.error().code() == Errc::timed_out) {
    if (scheduler_.now() < deadline) return true;  // it was only woken
    refuse({wire::Severity::fatal, "25P03",
            "terminating connection due to idle-in-transaction timeout",
            "proxy.idle_limit says how long a client may keep a server without a word"});
    return false;
  }
  is_client_gone_ = true;
  ++counters_->clients_lost;
  return false;
}

Instant ClientFlow::client_deadline() const {
  if (!session_->is_in_transaction() || session_->is_busy()) return kNever;
  return after(limits().idle_in_transaction);
}

// A client that said goodbye behind its last statements gets them done, as by a server of its own,
// if they do not take long: nobody waits for them any more.
Task<void> ClientFlow::finish_work() {
  if (is_client_gone_ || is_ending_) co_return;
  if (stay_ != nullptr) co_await send_to_server();
  if (session_->ended_for() != nullptr) co_return;  // it hears nothing more
  const Instant deadline = after(kLastWork);
  while (stay_ != nullptr && session_->is_busy() && !is_ending_ && scheduler_.now() < deadline)
    co_await changed_.wait_until(deadline);
}

bool ClientFlow::try_send_to_client() {
  return !is_client_gone_ && to_client_.try_send(*stream_, out_.to_client);
}

bool ClientFlow::try_send_to_server() {
  return to_server_.try_send(stay_->server.stream(), out_.to_server);
}

Task<bool> ClientFlow::send_to_client(std::string_view piece) {
  if (is_client_gone_) co_return false;
  const Result<void> sent = co_await to_client_.send(
      *stream_, out_.to_client, piece,
      after(route_ != nullptr ? limits().client_write : around_.log_in_limit));
  if (sent) co_return true;
  if (!is_client_gone_) {
    ++counters_->clients_lost;
    if (sent.error().code() == Errc::timed_out) note_refusal("08006", "it reads no answers");
  }
  is_client_gone_ = true;
  end();
  co_return false;
}

// Only for the task that reads the client. A write that fails is no news yet: what the server said
// before it went is still to be read.
Task<bool> ClientFlow::send_to_server(std::string_view piece) {
  const Result<void> sent =
      co_await to_server_.send(stay_->server.stream(), out_.to_server, piece, kNever);
  changed_.notify_all();  // a server that is done waits for this before it goes to others
  if (sent) co_return true;
  if (stay_ != nullptr) stay_->server.mark_lost();
  while (!is_ending_ && stay_ != nullptr) co_await changed_.wait_until(kNever);
  co_return !is_ending_;
}

void ClientFlow::end() {
  is_ending_ = true;
  stream_->interrupt_read();
  changed_.notify_all();
}

Task<void> ClientFlow::cancel_statement() {
  if (stay_ == nullptr || is_cancelling_ || stay_->is_lost || !session_->is_busy()) co_return;
  if (cancel_wait_ != nullptr) co_return;
  const bool is_permitted = co_await permit_cancel();
  if (!is_permitted || stay_ == nullptr || stay_->is_lost || !session_->is_busy()) co_return;
  is_cancelling_ = true;
  ++counters_->cancels;
  const Result<void> taken =
      co_await stay_->server.request_cancel(deadline_after(scheduler_.now(), limits().cancel));
  if (!taken) {
    log::warning("Cancel not passed on", {log::field("client", stream_->peer().address),
                                          log::field("reason", taken.error().text())});
    stay_->has_stray_cancel = true;
  }
  is_cancelling_ = false;
  changed_.notify_all();
}

void ClientFlow::ask_to_leave() {
  if (is_asked_to_leave_) return;
  is_asked_to_leave_ = true;
  if (stay_ == nullptr) stream_->interrupt_read();
}

void ClientFlow::hang_up() {
  is_client_gone_ = true;
  stream_->close();
  // A server that reads nothing would be waited for.
  if (stay_ != nullptr && to_server_.is_writing()) stay_->server.stream().close();
  end();
}

}  // namespace forebay::proxy
