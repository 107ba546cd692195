#include "forebay/sim/postgres/sim_client.hpp"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/wire/protocol/authentication_request.hpp"
#include "forebay/wire/protocol/bytes.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "forebay/wire/protocol/startup.hpp"

namespace forebay::sim {
namespace {

using wire::ServerMessage;

constexpr Duration kToConnect = std::chrono::seconds(5);

wire::FrameOptions frames_of_proxy() {
  wire::FrameOptions options;
  options.sender = wire::Sender::server;
  options.capacity = 1024;
  return options;
}

}  // namespace

// From one log-in to its end.
struct SimClient::Life {
  Life(std::unique_ptr<ByteStream> bytes, OwnServer own_server)
      : stream(std::move(bytes)), reader(frames_of_proxy()), own(std::move(own_server)) {}

  // Written by the task that sends only.
  std::unique_ptr<ByteStream> stream;
  wire::FrameReader reader;
  OwnServer own;
  SessionParameters told;  // in the welcome
  std::uint32_t process = 0;
  std::string key;
  std::uint64_t sent = 0;  // units
  std::uint64_t answered = 0;
  bool is_in = false;
  bool is_over = false;   // nothing more is heard
  bool has_left = false;  // it has said goodbye, or has hung up
};

SimClient::SimClient(Scheduler& scheduler, StreamNetwork& network, SimClientOptions options,
                     const ClientFaults& faults, std::uint64_t seed, SimClientWatch& watch)
    : scheduler_(scheduler),
      network_(network),
      options_(std::move(options)),
      faults_(faults),
      random_(seed),
      watch_(watch),
      script_(options_.number, options_.habits, random_),
      changed_(scheduler),
      tasks_(scheduler) {}

SimClient::~SimClient() { FOREBAY_CHECK(life_ == nullptr, "a simulated client was not stopped"); }

void SimClient::stop() {
  is_stopping_ = true;
  changed_.notify_all();
}

void SimClient::vanish() {
  if (life_ == nullptr) return;
  life_->has_left = true;
  life_->is_over = true;
  life_->stream->close();
  changed_.notify_all();
}

Task<void> SimClient::run() {
  while (!is_stopping_) {
    co_await live();
    if (is_stopping_) break;
    const Duration pause = options_.least_back + some(options_.least_back);
    co_await changed_.wait_until(deadline_after(scheduler_.now(), pause));
  }
  co_await tasks_.join();
}

Task<void> SimClient::live() {
  Result<std::unique_ptr<ByteStream>> stream =
      co_await network_.connect(options_.proxy, deadline_after(scheduler_.now(), kToConnect));
  if (!stream) {
    watch_.on_lost(*this, stream.error().text());
    co_return;
  }
  auto take_cancel = [this](const std::string& sql) { return watch_.take_cancel(sql); };
  Life life(std::move(*stream), OwnServer(options_.reported, options_.start, take_cancel));
  life_ = &life;
  ++lives_;
  script_.begin();
  first_mark_of_life_ = script_.marks();
  TaskGroup listener(scheduler_);
  listener.spawn(listen(life));
  const bool is_sent = co_await log_in(life);
  if (is_sent) {
    while (!life.is_in && !life.is_over) co_await changed_.wait_until(kNever);
    co_await work(life);
    co_await leave(life);
  }
  life.stream->close();
  co_await listener.join();
  unserved_ += static_cast<std::uint64_t>(life.own.unserved());
  dropped_ += life.sent - life.answered;
  cancelled_ += static_cast<std::uint64_t>(life.own.cancelled());
  waiting_since_ = kNever;
  life_ = nullptr;
}

std::uint64_t SimClient::unserved() const {
  return unserved_ + (life_ != nullptr ? static_cast<std::uint64_t>(life_->own.unserved()) : 0);
}

Task<bool> SimClient::log_in(Life& life) {
  std::string packet;
  std::vector<std::pair<std::string_view, std::string_view>> parameters;
  parameters.emplace_back("user", "app");
  parameters.emplace_back("database", "inn");
  for (const auto& [name, value] : options_.start) parameters.emplace_back(name, value);
  wire::write_startup(packet, wire::kVersion30, parameters);
  waiting_since_ = scheduler_.now();
  co_return co_await send(life, packet);
}

Task<void> SimClient::work(Life& life) {
  const std::uint64_t most = static_cast<std::uint64_t>(options_.most_ahead);
  std::uint64_t left = 1 + random_.below(2 * static_cast<std::uint64_t>(options_.units_of_a_life));
  while (!life.is_over && !life.has_left) {
    const bool is_enough = is_stopping_ || left == 0;
    if (is_enough && !script_.is_in_transaction()) co_return;
    if (left > 0) --left;
    const ClientUnit unit = script_.next();
    bool is_there = co_await wait_for_answers(life, unit.is_alone ? 0 : most - 1);
    if (!is_there) co_return;
    std::string_view bytes = unit.messages;
    const bool hangs_up = random_.chance_per_million(faults_.hangs_up);
    if (hangs_up) bytes = bytes.substr(0, random_.below(bytes.size() + 1));
    life.own.sent(unit.messages);
    ++life.sent;
    ++sent_;
    if (waiting_since_ == kNever) waiting_since_ = scheduler_.now();
    const std::uint32_t chance = unit.is_worth_cancel ? faults_.cancels : faults_.cancels_anything;
    if (random_.chance_per_million(chance)) {
      const Duration after = some(std::chrono::milliseconds(200));
      tasks_.spawn(cancel(life.process, life.key, after));
    }
    const bool is_sent = co_await send(life, bytes);
    if (hangs_up) vanish();
    if (!is_sent || hangs_up) co_return;
    if (unit.is_alone) is_there = co_await wait_for_answers(life, 0);
    if (!is_there) co_return;
    const bool is_between = options_.habits.statements == 0 || !script_.is_in_transaction();
    if (options_.most_thought > Duration::zero() && is_between) {
      const Instant until = deadline_after(scheduler_.now(), some(options_.most_thought));
      while (!life.is_over && !is_stopping_ && scheduler_.now() < until)
        co_await changed_.wait_until(until);
    }
  }
}

// Half of them wait for their answers first; the others say goodbye behind their last statements.
Task<void> SimClient::leave(Life& life) {
  if (life.is_over || life.has_left) co_return;
  const bool waits = random_.below(2) == 0;
  if (waits) {
    const bool is_there = co_await wait_for_answers(life, 0);
    if (!is_there) co_return;
  }
  std::string goodbye;
  wire::write_terminate(goodbye);
  life.has_left = true;
  co_await send(life, goodbye);
  while (!life.is_over) co_await changed_.wait_until(kNever);
}

// False: there will be no answers.
Task<bool> SimClient::wait_for_answers(Life& life, std::uint64_t most_open) {
  while (!life.is_over && life.sent - life.answered > most_open)
    co_await changed_.wait_until(kNever);
  co_return !life.is_over;
}

// A write that fails is no news: what the proxy said before it hung up is still to be read.
Task<bool> SimClient::send(Life& life, std::string_view bytes) {
  const ConstBytes piece = wire::bytes_of(bytes);
  if (piece.empty()) co_return true;
  const Result<void> sent = co_await life.stream->write(std::span(&piece, 1), kNever);
  if (sent) co_return true;
  while (!life.is_over) co_await changed_.wait_until(kNever);
  co_return false;
}

// ---- what it hears

Task<void> SimClient::listen(Life& life) {
  while (!life.is_over) {
    if (options_.most_read_pause > Duration::zero())
      co_await sleep_for(scheduler_, some(options_.most_read_pause));
    if (life.is_over) break;
    const Result<std::size_t> got = co_await life.stream->read(life.reader.room(), kNever);
    if (!got || *got == 0) {
      lose(life, got ? "the proxy hung up" : got.error().text());
      break;
    }
    life.reader.add(*got);
    for (wire::Frame frame = life.reader.next(); frame.kind != wire::Frame::Kind::none;
         frame = life.reader.next()) {
      if (frame.kind == wire::Frame::Kind::broken) {
        watch_.on_wrong(*this, "it heard what is no message: " + life.reader.problem().text());
        life.is_over = true;
        break;
      }
      watch_.on_heard(*this, frame.type, frame.body);
      hear(life, frame);
      if (life.is_over) break;
    }
    changed_.notify_all();
  }
  changed_.notify_all();
}

void SimClient::hear(Life& life, const wire::Frame& frame) {
  if (frame.type == static_cast<char>(ServerMessage::error_response)) {
    const Result<wire::ErrorFields> fields = wire::parse_error_fields(frame.body);
    if (fields && fields->ends_session()) {
      lose(life, fmt::format("{} {}", fields->sqlstate(), fields->message()));
      return;
    }
  }
  if (!life.is_in) return hear_welcome(life, frame);
  const std::string wrong = life.own.hear(frame.type, frame.body);
  if (!wrong.empty()) {
    watch_.on_wrong(*this, wrong);
    life.is_over = true;
    return;
  }
  if (frame.type != static_cast<char>(ServerMessage::ready_for_query)) return;
  ++life.answered;
  ++units_;
  waiting_since_ = life.answered < life.sent ? scheduler_.now() : kNever;
}

void SimClient::hear_welcome(Life& life, const wire::Frame& frame) {
  switch (static_cast<ServerMessage>(frame.type)) {
    case ServerMessage::authentication: return;
    case ServerMessage::parameter_status: {
      const auto status = wire::parse_parameter_status(frame.body);
      life.told[std::string(status->name)] = std::string(status->value);
      return;
    }
    case ServerMessage::backend_key_data: {
      const auto key = wire::parse_backend_key_data(frame.body);
      life.process = key->process;
      life.key = std::string(key->key);
      return;
    }
    case ServerMessage::ready_for_query:
      if (life.told != life.own.parameters()) {
        watch_.on_wrong(*this, "its parameters are not those of its own server");
        life.is_over = true;
      }
      life.is_in = true;
      waiting_since_ = kNever;
      return;
    default:
      watch_.on_wrong(*this, "in its welcome it heard " +
                                 message_text(wire::Sender::server, frame.type, frame.body));
      life.is_over = true;
  }
}

void SimClient::lose(Life& life, const std::string& why) {
  life.is_over = true;
  if (!life.has_left) watch_.on_lost(*this, why);
}

// ---- cancels

// Over a stream of its own, like every client's.
Task<void> SimClient::cancel(std::uint32_t process, std::string key, Duration after) {
  std::string request;
  wire::write_cancel_request(request, {process, key});
  co_await sleep_for(scheduler_, after);
  ++cancels_under_way_;
  Result<std::unique_ptr<ByteStream>> stream =
      co_await network_.connect(options_.proxy, deadline_after(scheduler_.now(), kToConnect));
  if (stream) {
    const ConstBytes piece = wire::bytes_of(request);
    std::array<std::byte, 16> scrap;
    Result<void> sent = co_await (*stream)->write(std::span(&piece, 1), kNever);
    // It says nothing, and hangs up when the cancel has arrived.
    if (sent) static_cast<void>(co_await (*stream)->read(Bytes(scrap), kNever));
  }
  --cancels_under_way_;
}

// A client that pauses before it reads does not know yet that its stream broke. The proxy does.
bool SimClient::may_be_cancelled(std::string_view sql) const {
  const bool is_of_this_life = life_ != nullptr && !life_->has_left && !life_->is_over &&
                               marked_number(sql) > first_mark_of_life_ &&
                               life_->stream->write_now({}).has_value();
  return !is_of_this_life || cancels_under_way_ > 0;
}

}  // namespace forebay::sim
