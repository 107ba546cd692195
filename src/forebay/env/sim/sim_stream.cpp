#include "forebay/env/sim/sim_stream.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"
#include "forebay/env/sim/sim_network.hpp"

namespace forebay::sim {

void SimWire::cut() {
  for (SimPipe& pipe : pipes_) pipe.break_now();
  wake(Side::caller);
  wake(Side::called);
}

void SimWire::cut_after(Side from, std::uint64_t bytes) {
  written(from).break_after(bytes);
  note_break(from);
}

void SimWire::fall_silent() {
  for (SimPipe& pipe : pipes_) pipe.fall_silent();
}

void SimWire::wake(Side side) {
  if (SimStream* const end = ends_[index(side)]) end->look_again();
}

// A wire that broke in one direction is of no use in the other.
void SimWire::note_break(Side from) {
  if (!written(from).is_broken()) return;
  read(from).break_now();
  wake(Side::caller);
  wake(Side::called);
}

// While a call is under way.
class SimStream::Call {
 public:
  explicit Call(SimStream& stream) : stream_(stream) { ++stream_.calls_; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() { --stream_.calls_; }

 private:
  SimStream& stream_;
};

SimStream::SimStream(std::shared_ptr<SimWire> wire, SimWire::Side side, Scheduler& scheduler,
                     StreamPeer peer)
    : wire_(std::move(wire)),
      side_(side),
      scheduler_(&scheduler),
      peer_(std::move(peer)),
      readable_(scheduler),
      writable_(scheduler) {
  wire_->ends_[SimWire::index(side)] = this;
}

SimStream::~SimStream() {
  FOREBAY_CHECK(calls_ == 0, "a stream died during a read or a write");
  close();
  wire_->ends_[SimWire::index(side_)] = nullptr;
}

Task<Result<std::size_t>> SimStream::read(Bytes into, Instant deadline) {
  FOREBAY_CHECK(!into.empty(), "a read needs room for a byte");
  const Call call(*this);
  const ReadInterrupt::Read reading(interrupt_);
  for (;;) {
    if (Result<void> open = check_open(); !open) co_return failure(std::move(open).error());
    SimPipe& pipe = wire_->read(side_);
    const Instant now = scheduler_->now();
    if (const std::size_t count = pipe.take(into, now); count > 0) {
      wire_->wake(SimWire::other(side_));  // there is room again
      co_return count;
    }
    if (pipe.has_broken_off()) co_return lost();
    if (pipe.has_ended(now)) co_return std::size_t{0};
    if (interrupt_.is_asked() || now >= deadline)
      co_return failure(Errc::timed_out, "nothing was sent in time by " + peer_.address);
    co_await readable_.until(std::min(deadline, pipe.next_arrival()));
  }
}

void SimStream::interrupt_read() {
  interrupt_.ask();
  readable_.end(WaitEnding::timed_out);
}

Task<Result<void>> SimStream::write(std::span<const ConstBytes> pieces, Instant deadline) {
  const Call call(*this);
  for (const ConstBytes& piece : pieces) {
    Result<void> written = co_await write_piece(piece, deadline);
    if (!written) co_return written;
  }
  co_return Result<void>();
}

Task<Result<void>> SimStream::write_piece(ConstBytes piece, Instant deadline) {
  while (!piece.empty()) {
    const Result<std::size_t> count = write_now(piece);
    if (!count) co_return failure(count.error());
    if (*count > 0) {
      piece = piece.subspan(*count);
      continue;
    }
    const WaitEnding ending = co_await writable_.until(deadline);
    if (ending == WaitEnding::timed_out)
      co_return failure(Errc::timed_out, "not everything was read in time by " + peer_.address);
  }
  co_return Result<void>();
}

Result<std::size_t> SimStream::write_now(ConstBytes bytes) {
  if (Result<void> open = check_open(); !open) return failure(std::move(open).error());
  SimPipe& pipe = wire_->written(side_);
  if (pipe.is_broken()) return lost();
  const std::size_t count = bytes.empty() ? 0 : pipe.put(bytes, scheduler_->now());
  if (count > 0) {
    wire_->wake(SimWire::other(side_));
    wire_->note_break(side_);
  }
  return count;
}

Task<Result<void>> SimStream::finish(Instant) {
  if (Result<void> open = check_open(); !open) co_return open;
  wire_->written(side_).finish(scheduler_->now());
  wire_->wake(SimWire::other(side_));
  co_return Result<void>();
}

void SimStream::close() {
  if (is_closed_) return;
  is_closed_ = true;
  wire_->written(side_).finish(scheduler_->now());
  wire_->read(side_).break_now();  // nobody will read what the other side writes
  wire_->wake(SimWire::other(side_));
  readable_.end(WaitEnding::closed);
  writable_.end(WaitEnding::closed);
}

void SimStream::leave() {
  FOREBAY_CHECK(calls_ == 0, "a stream left its loop during a read or a write");
  is_away_ = true;
}

Result<void> SimStream::join(StreamNetwork& network) {
  if (is_closed_) return failure(Errc::closed, "the stream is closed");
  FOREBAY_CHECK(is_away_, "a stream joins another loop when it has left its own");
  auto* const host = dynamic_cast<SimHost*>(&network);
  FOREBAY_CHECK(host != nullptr, "a simulated stream cannot join a network that is real");
  is_away_ = false;
  scheduler_ = &host->scheduler();
  readable_.move_to(*scheduler_);
  writable_.move_to(*scheduler_);
  return {};
}

Result<void> SimStream::check_open() const {
  if (is_closed_) return failure(Errc::closed, "the stream is closed");
  FOREBAY_CHECK(!is_away_, "a stream was used between two loops");
  return {};
}

void SimStream::look_again() {
  readable_.end(WaitEnding::ready);
  writable_.end(WaitEnding::ready);
}

std::unexpected<Error> SimStream::lost() const {
  return failure(Errc::connection_lost, "the stream with " + peer_.address + " broke");
}

std::pair<std::unique_ptr<SimStream>, std::unique_ptr<SimStream>> make_sim_streams(
    const std::shared_ptr<SimWire>& wire, Scheduler& caller, Scheduler& called) {
  using Side = SimWire::Side;
  return {std::make_unique<SimStream>(wire, Side::caller, caller, StreamPeer("sim:called")),
          std::make_unique<SimStream>(wire, Side::called, called, StreamPeer("sim:caller"))};
}

}  // namespace forebay::sim
