#include "forebay/sim/postgres/sim_postgres.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/wire/protocol/bytes.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "forebay/wire/protocol/startup.hpp"

namespace forebay::sim {
namespace {

wire::FrameOptions frames_of_client() {
  wire::FrameOptions options;
  options.sender = wire::Sender::client;
  options.capacity = 4096;
  return options;
}

// Of those that the model reads.
std::string problem_of(char type, std::string_view body) {
  using wire::ClientMessage;
  const auto told = [](const auto& parsed) {
    return parsed ? std::string() : parsed.error().text();
  };
  switch (static_cast<ClientMessage>(type)) {
    case ClientMessage::query: return told(wire::parse_query(body));
    case ClientMessage::parse: return told(wire::parse_parse(body));
    case ClientMessage::bind: return told(wire::parse_bind(body));
    case ClientMessage::describe: return told(wire::parse_describe(body));
    case ClientMessage::execute: return told(wire::parse_execute(body));
    case ClientMessage::close: return told(wire::parse_close(body));
    case ClientMessage::copy_fail: return told(wire::parse_copy_fail(body));
    default: return {};
  }
}

}  // namespace

// A stream, and the session on it once it counts.
struct SimPostgres::Session {
  Session(Scheduler& scheduler, std::unique_ptr<ByteStream> bytes)
      : stream(std::move(bytes)), reader(frames_of_client()), changed(scheduler) {}

  std::unique_ptr<ByteStream> stream;
  wire::FrameReader reader;
  Condition changed;  // killed, terminated, cancelled
  std::optional<ModelPostgres> model;
  std::uint32_t number = 0;  // 0: it does not count, yet or any more
  std::string key;
  std::string running;                         // the statement
  std::size_t bytes_left = std::string::npos;  // until it dies
  bool is_cancelled = false;
  bool is_writing = false;
  bool is_over = false;
  bool is_terminated = false;
};

SimPostgres::~SimPostgres() { FOREBAY_CHECK(talks_.empty(), "a simulated server was not closed"); }

void SimPostgres::listen(StreamNetwork& network, StreamAddress at) {
  places_.push_back(Door{network, std::move(at)});
  if (is_up_) open(places_.back());
}

void SimPostgres::open(Door& door) {
  Result<std::unique_ptr<StreamListener>> listener = door.network.listen(door.at);
  FOREBAY_CHECK(listener.has_value(), listener.error().text());
  door.listener = std::move(*listener);
  doors_.spawn(accept_all(*door.listener));
}

void SimPostgres::stall_until(Instant end) {
  stalled_until_ = end;
  for (const auto& [number, session] : talks_) session->changed.notify_all();
}

void SimPostgres::start() {
  if (is_up_) return;
  is_up_ = true;
  for (Door& door : places_) open(door);
}

void SimPostgres::stop() {
  if (!is_up_) return;
  is_up_ = false;
  for (Door& door : places_) {
    door.listener->close();
    closed_.push_back(std::move(door.listener));
  }
  for (const std::uint32_t number : session_numbers()) terminate(number);
}

Task<void> SimPostgres::close() {
  stop();
  for (const auto& [number, session] : talks_) {
    session->is_over = true;
    session->stream->close();
    session->changed.notify_all();
  }
  co_await doors_.join();
  co_await tasks_.join();
}

std::vector<std::uint32_t> SimPostgres::session_numbers() const {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(sessions_.size());
  for (const auto& [number, session] : sessions_) numbers.push_back(number);
  return numbers;
}

const ModelPostgres* SimPostgres::session(std::uint32_t number) const {
  const auto found = sessions_.find(number);
  return found == sessions_.end() || !found->second->model ? nullptr : &*found->second->model;
}

void SimPostgres::kill(std::uint32_t number) {
  const auto found = sessions_.find(number);
  if (found == sessions_.end()) return;
  Session& session = *found->second;
  session.is_over = true;
  forget(session);
  session.stream->close();
  session.changed.notify_all();
}

void SimPostgres::die_after(std::uint32_t number, std::size_t bytes) {
  const auto found = sessions_.find(number);
  if (found != sessions_.end()) found->second->bytes_left = bytes;
}

void SimPostgres::terminate(std::uint32_t number) {
  const auto found = sessions_.find(number);
  if (found == sessions_.end()) return;
  Session& session = *found->second;
  if (session.is_writing) return kill(number);
  session.is_terminated = true;
  session.stream->interrupt_read();
  session.changed.notify_all();
}

void SimPostgres::forget(Session& session) {
  if (session.number == 0) return;
  sessions_.erase(session.number);
  watch_.on_end(std::exchange(session.number, 0));
}

// ---- one stream

Task<void> SimPostgres::accept_all(StreamListener& listener) {
  for (;;) {
    Result<std::unique_ptr<ByteStream>> stream = co_await listener.accept(kNever);
    if (!stream) co_return;
    tasks_.spawn(serve(std::move(*stream)));
  }
}

Task<void> SimPostgres::serve(std::unique_ptr<ByteStream> stream) {
  Session session(scheduler_, std::move(stream));
  const std::uint64_t place = ++talk_count_;
  talks_.emplace(place, &session);
  co_await talk(session);
  co_await end(session);
  session.stream->close();
  talks_.erase(place);
}

Task<void> SimPostgres::talk(Session& session) {
  while (!session.is_over && !session.is_terminated) {
    const wire::Frame frame = session.reader.next();
    if (frame.kind == wire::Frame::Kind::none) {
      const Result<std::size_t> got = co_await session.stream->read(session.reader.room(), kNever);
      if (!got && got.error().code() == Errc::timed_out) continue;  // terminated
      if (!got || *got == 0) co_return;
      session.reader.add(*got);
      continue;
    }
    if (!check(session, frame)) co_return;
    if (session.reader.expects_startup()) {
      const bool goes_on = co_await begin(session, frame.body);
      if (!goes_on) co_return;
      continue;
    }
    if (frame.type == static_cast<char>(wire::ClientMessage::terminate)) co_return;
    co_await answer(session, frame);
  }
}

bool SimPostgres::check(Session& session, const wire::Frame& frame) {
  std::string problem;
  if (frame.kind == wire::Frame::Kind::broken) {
    problem = session.reader.problem().text();
  } else if (!session.reader.expects_startup()) {
    problem = problem_of(frame.type, frame.body);
  }
  if (problem.empty()) return true;
  watch_.on_violation(session.number, problem);
  return false;
}

// It goes from the count when its process has ended, and only then does the stream end.
Task<void> SimPostgres::end(Session& session) {
  if (session.is_terminated && !session.is_over) {
    std::string words;
    wire::write_error(words,
                      wire::ErrorReport(wire::Severity::fatal, "57P01",
                                        "terminating connection due to administrator command"));
    co_await send(session, std::move(words));
  }
  if (session.number != 0) {
    session.is_terminated = false;
    const Duration time = watch_.goodbye_time();
    co_await pause(session, deadline_after(scheduler_.now(), time));
  }
  forget(session);
}

// False: there will be no session.
Task<bool> SimPostgres::begin(Session& session, std::string_view packet) {
  const Result<wire::StartupPacket> start = wire::parse_startup(packet);
  FOREBAY_CHECK(start.has_value(), "a link sent a start-up packet that is none");
  if (const auto* const key = std::get_if<wire::CancelKeyView>(&*start)) {
    if (watch_.on_cancel_request(session.stream->peer().address)) cancel(*key);
    co_return false;
  }
  if (!std::holds_alternative<wire::StartupView>(*start)) {
    co_await send(session, "N");
    co_return true;
  }
  co_return co_await enter(session, std::get<wire::StartupView>(*start));
}

Task<bool> SimPostgres::enter(Session& session, const wire::StartupView& start) {
  FOREBAY_CHECK(!start.user().empty());
  const std::uint32_t number = ++last_session_;
  const std::string refusal = watch_.on_connect(number, session.stream->peer().address);
  if (refusal.empty()) {
    session.number = number;
    sessions_.emplace(number, &session);
  }
  const Duration time = watch_.connect_time(number);
  const bool goes_on = co_await work(session, time);
  if (!goes_on) co_return false;
  std::string out;
  if (!refusal.empty()) {
    wire::write_error(
        out, wire::ErrorReport(wire::Severity::fatal, refusal, "sorry, too many clients already"));
    co_await send(session, std::move(out));
    co_return false;
  }
  session.reader.expect_messages();
  session.model.emplace(usual_parameters());
  session.key = fmt::format("{:08x}", random_.next() >> 32);
  session.model->welcome(out, {.process = number, .key = session.key.substr(0, 4)});
  watch_.on_ready(number);
  co_await send(session, std::move(out));
  co_return true;
}

Task<void> SimPostgres::answer(Session& session, const wire::Frame& frame) {
  const std::string sql = session.model->statement_of(frame.type, frame.body);
  const char type = frame.type;
  const std::string body(frame.body);
  Duration time{};
  if (!sql.empty()) time = watch_.answer_time() + ModelPostgres::work(sql);
  watch_.on_message(session.number, type, sql, deadline_after(scheduler_.now(), time));
  if (!sql.empty()) {
    session.running = sql;
    const bool goes_on = co_await work(session, time);
    session.running.clear();
    if (!goes_on) co_return;
    if (std::exchange(session.is_cancelled, false)) session.model->cancel_next();
  }
  std::string out;
  session.model->receive(type, body, out);
  if (!out.empty()) co_await send(session, std::move(out));
}

// False: the session is over. It ends early when the statement is cancelled.
Task<bool> SimPostgres::work(Session& session, Duration time) {
  const Instant done = deadline_after(scheduler_.now(), time);
  while (!session.is_over && !session.is_terminated) {
    const Instant until = std::max(session.is_cancelled ? Instant() : done, stalled_until_);
    if (scheduler_.now() >= until) co_return true;
    co_await session.changed.wait_until(until);
  }
  co_return false;
}

Task<void> SimPostgres::pause(Session& session, Instant until) {
  while (!session.is_over && scheduler_.now() < until) co_await session.changed.wait_until(until);
}

Task<void> SimPostgres::send(Session& session, std::string bytes) {
  const bool dies = bytes.size() >= session.bytes_left;
  if (dies) bytes.resize(session.bytes_left);
  if (session.bytes_left != std::string::npos) session.bytes_left -= bytes.size();
  const ConstBytes piece = wire::bytes_of(bytes);
  session.is_writing = true;
  const Result<void> sent = co_await session.stream->write(std::span(&piece, 1), kNever);
  session.is_writing = false;
  if (!sent || dies) session.is_over = true;
}

// Only what runs now is cancelled; the process has had the signal when the caller hears the end.
void SimPostgres::cancel(const wire::CancelKeyView& key) {
  const auto found = sessions_.find(key.process);
  if (found == sessions_.end() || found->second->key.substr(0, 4) != key.key) return;
  Session& session = *found->second;
  if (session.running.empty() || session.is_cancelled) return;
  session.is_cancelled = true;
  watch_.on_cancelled(session.number, session.running);
  session.changed.notify_all();
}

}  // namespace forebay::sim
