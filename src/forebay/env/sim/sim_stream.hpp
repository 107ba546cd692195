// Simulated streams: a wire between two ends, and what can happen to it.
//
// Single-threaded; the ends may live on different schedulers of one timeline. All chance comes from
// one Random, which outlives the wire.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/env/byte_stream.hpp"
#include "forebay/env/read_interrupt.hpp"
#include "forebay/env/sim/sim_pipe.hpp"
#include "forebay/env/stream_wait.hpp"

namespace forebay::sim {

class SimStream;

class SimWire {
 public:
  enum class Side : std::uint8_t { caller, called };

  SimWire(const SimStreamOptions& options, Random& random)
      : pipes_{SimPipe(options, random), SimPipe(options, random)} {}
  SimWire(const SimWire&) = delete;
  SimWire& operator=(const SimWire&) = delete;

  // Both ends notice at once, and what is on its way is lost.
  void cut();
  // It breaks when that side has written that many bytes, counted from the first. They arrive.
  void cut_after(Side from, std::uint64_t bytes);
  // The other end is lost to both, and neither is told: nothing arrives any more.
  void fall_silent();

  // Who is at its ends, by name.
  void note_hosts(std::string caller, std::string called) {
    hosts_ = {std::move(caller), std::move(called)};
  }
  bool is_of(std::string_view host) const { return hosts_[0] == host || hosts_[1] == host; }
  std::uint64_t written_by(Side side) const { return pipes_[index(side)].put_so_far(); }

 private:
  friend class SimStream;
  static std::size_t index(Side side) { return static_cast<std::size_t>(side); }
  static Side other(Side side) { return side == Side::caller ? Side::called : Side::caller; }

  SimPipe& written(Side side) { return pipes_[index(side)]; }
  SimPipe& read(Side side) { return pipes_[index(other(side))]; }
  void wake(Side side);
  void note_break(Side from);

  std::array<std::string, 2> hosts_;
  std::array<SimPipe, 2> pipes_;      // what each side writes
  std::array<SimStream*, 2> ends_{};  // null: not made yet, or gone
};

class SimStream final : public ByteStream {
 public:
  SimStream(std::shared_ptr<SimWire> wire, SimWire::Side side, Scheduler& scheduler,
            StreamPeer peer);
  SimStream(const SimStream&) = delete;
  SimStream& operator=(const SimStream&) = delete;
  ~SimStream() override;

  Task<Result<std::size_t>> read(Bytes into, Instant deadline) override;
  void interrupt_read() override;
  Task<Result<void>> write(std::span<const ConstBytes> pieces, Instant deadline) override;
  Result<std::size_t> write_now(ConstBytes bytes) override;
  Task<Result<void>> finish(Instant deadline) override;
  void close() override;
  const StreamPeer& peer() const override { return peer_; }
  void leave() override;
  Result<void> join(StreamNetwork& network) override;

 private:
  friend class SimWire;
  class Call;

  Result<void> check_open() const;
  Task<Result<void>> write_piece(ConstBytes piece, Instant deadline);
  void look_again();  // something may have changed
  std::unexpected<Error> lost() const;

  const std::shared_ptr<SimWire> wire_;
  const SimWire::Side side_;
  Scheduler* scheduler_;
  const StreamPeer peer_;
  StreamWait readable_;
  StreamWait writable_;
  int calls_ = 0;
  ReadInterrupt interrupt_;
  bool is_closed_ = false;
  bool is_away_ = false;  // between two loops
};

// Two ends of a new wire: first the caller's.
std::pair<std::unique_ptr<SimStream>, std::unique_ptr<SimStream>> make_sim_streams(
    const std::shared_ptr<SimWire>& wire, Scheduler& caller, Scheduler& called);

}  // namespace forebay::sim
