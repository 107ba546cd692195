#include "forebay/standin/session_flow.hpp"

#include <algorithm>
#include <span>

#include "forebay/base/log.hpp"
#include "forebay/wire/protocol/bytes.hpp"

namespace forebay::standin {

namespace {

constexpr std::size_t kReaderMemory = 8192;
constexpr Duration kLastWords = std::chrono::seconds(5);
constexpr Duration kServerPatience = std::chrono::seconds(30);

wire::FrameOptions client_frames() {
  wire::FrameOptions options;
  options.sender = wire::Sender::client;
  options.whole = kWholeFromClient;
  options.capacity = kReaderMemory;
  options.longest_whole = std::size_t{kLongestMessage} + 1;  // so that we see longer ones begin
  return options;
}

}  // namespace

SessionFlow::SessionFlow(const Surroundings& around, std::unique_ptr<ByteStream> stream)
    : around_(around),
      scheduler_(around.env.scheduler),
      stream_(std::move(stream)),
      reader_(std::make_unique<wire::FrameReader>(client_frames())),
      changed_(scheduler_),
      tasks_(scheduler_) {}

SessionFlow::~SessionFlow() {
  if (is_counted_) --around_.counters.sessions;
}

Task<void> SessionFlow::run() {
  const bool is_in = co_await log_in();
  if (is_in) {
    tasks_.spawn(watch_age(after(around_.options.session_age)));
    co_await serve();
  }
  end();
  if (server_ != nullptr) {
    to_server_.clear();
    wire::write_terminate(to_server_);
    co_await send_to_server();
    server_->close();
  }
  if (is_client_gone_ && stream_ != nullptr) stream_->close();  // for a task that writes to it
  co_await tasks_.join();
  if (!is_client_gone_ && stream_ != nullptr) {
    co_await send_to_client();
    // Whether it still listens makes no difference any more.
    if (!is_client_gone_) static_cast<void>(co_await stream_->finish(after(kLastWords)));
  }
  if (stream_ != nullptr) stream_->close();
}

Task<wire::Frame> SessionFlow::next_frame(Instant deadline) {
  for (;;) {
    const wire::Frame frame = reader_->next();
    if (frame.kind != wire::Frame::Kind::none) co_return frame;
    const Result<std::size_t> got = co_await stream_->read(reader_->room(), deadline);
    if (!got || *got == 0) {
      if (!is_ending_) is_client_gone_ = true;
      co_return wire::Frame();
    }
    reader_->add(*got);
  }
}

Task<void> SessionFlow::serve() {
  while (!is_ending_) {
    const wire::Frame frame = co_await next_frame(kNever);
    if (is_ending_ || frame.kind == wire::Frame::Kind::none) co_return;
    if (frame.kind == wire::Frame::Kind::broken) {
      hang_up();  // too long a message, or none at all
      co_return;
    }
    const bool goes_on = co_await pass_on(frame);
    if (!goes_on) co_return;
  }
}

Task<bool> SessionFlow::pass_on(wire::Frame frame) {
  if (server_ == nullptr && frame.type != static_cast<char>(wire::ClientMessage::terminate)) {
    const Result<void> attached = co_await attach(after(kServerPatience));
    if (is_ending_) co_return false;
    if (!attached) {
      log::warning("No session on PostgreSQL", {log::field("reason", attached.error().text())});
      wire::write_error(to_client_, {wire::Severity::fatal, "XX000", "server unavailable"});
      co_return false;
    }
    tasks_.spawn(follow_server());
  }
  const StandinSession::Verdict verdict =
      session_->from_client(frame, scheduler_.now(), to_server_);
  if (verdict == StandinSession::Verdict::hangs_up) hang_up();
  if (verdict == StandinSession::Verdict::ends) is_client_gone_ = true;  // it listens no more
  if (verdict != StandinSession::Verdict::goes_on) co_return false;
  if (to_server_.empty()) co_return true;
  co_return co_await send_to_server();
}

Task<bool> SessionFlow::send_to_client() {
  if (is_client_gone_) co_return false;
  if (to_client_.empty()) co_return true;
  const ConstBytes piece = wire::bytes_of(to_client_);
  const Result<void> sent = co_await stream_->write(std::span(&piece, 1), kNever);
  to_client_.clear();
  if (sent) co_return true;
  is_client_gone_ = true;
  end();
  co_return false;
}

// What was said before a write failed may still be read: the task that does so ends the session.
Task<bool> SessionFlow::send_to_server() {
  const ConstBytes piece = wire::bytes_of(to_server_);
  const Result<void> sent = co_await server_->write(std::span(&piece, 1), kNever);
  to_server_.clear();
  if (sent) co_return true;
  while (!is_ending_) co_await changed_.wait_until(kNever);
  co_return false;
}

Task<Result<void>> SessionFlow::attach(Instant deadline) {
  proxy::LinkAttempt attempt(around_.backend.env(), around_.backend.start_of(start_));
  attempt_ = &attempt;
  Result<void> outcome = co_await attempt.run(deadline);
  attempt_ = nullptr;
  if (!outcome) {
    co_await attempt.wait_until_gone(ServerNotice(), after(kLastWords));
    co_return outcome;
  }
  proxy::LinkParts parts = attempt.take_parts();
  reported_ = std::move(parts.picture.reported);
  around_.backend.note_greeting(start_, reported_);
  server_ = std::move(parts.stream);
  server_frames_ = std::make_unique<wire::FrameReader>(std::move(parts.frames));
  server_frames_->want_whole(kWholeFromServer);
  co_return Result<void>();
}

Task<void> SessionFlow::follow_server() {
  bool goes_on = true;
  while (goes_on && !is_ending_) goes_on = co_await read_server();
  if (is_ending_) co_return;
  // What PostgreSQL said last is sent; then the session is over.
  co_await send_to_client();
  end();
}

// False: the session is over.
Task<bool> SessionFlow::read_server() {
  for (;;) {
    const wire::Frame frame = server_frames_->next();
    if (frame.kind == wire::Frame::Kind::none) break;
    if (frame.kind == wire::Frame::Kind::broken) co_return false;
    if (!session_->from_server(frame, to_client_)) co_return false;
  }
  const bool is_sent = co_await send_to_client();
  if (!is_sent || is_ending_) co_return false;
  if (session_->is_idle()) changed_.notify_all();
  const Result<std::size_t> got = co_await server_->read(server_frames_->room(), kNever);
  if (!got || *got == 0) co_return false;
  server_frames_->add(*got);
  co_return true;
}

// No error is sent: the connection is gone, as it is on Aurora DSQL.
Task<void> SessionFlow::watch_age(Instant end_of_life) {
  while (!is_ending_ && scheduler_.now() < end_of_life) co_await changed_.wait_until(end_of_life);
  const Duration grace =
      around_.options.may_transaction_finish ? around_.options.rules.limits().age : Duration();
  const Instant last = deadline_after(end_of_life, grace);
  while (!is_ending_ && scheduler_.now() < last && !session_->is_idle())
    co_await changed_.wait_until(last);
  if (is_ending_) co_return;
  ++around_.counters.too_old;
  hang_up();
}

void SessionFlow::end() {
  is_ending_ = true;
  if (stream_ != nullptr) stream_->interrupt_read();
  if (server_ != nullptr) server_->interrupt_read();
  changed_.notify_all();
}

void SessionFlow::hang_up() {
  is_client_gone_ = true;
  if (in_clear_ != nullptr) in_clear_->close();
  if (stream_ != nullptr) stream_->close();
  if (attempt_ != nullptr) attempt_->cancel();
  if (server_ != nullptr) server_->close();
  end();
}

}  // namespace forebay::standin
