// SimPipe: one direction of a simulated stream, as a pure thing that is told the time: what was
// written, when it arrives, and how it ends.
//
// Always: bytes come out in the order in which they went in, and at most capacity of them are
// inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "forebay/env/byte_stream.hpp"
#include "forebay/env/random.hpp"

namespace forebay::sim {

struct SimStreamOptions {
  Duration least_delay{};  // of each part that is written, by chance between these
  Duration most_delay{};
  std::size_t capacity = 64 * 1024;  // what is written and not yet read; then writers wait
  bool is_choppy = false;            // reads get, and writes put, fewer bytes than they could
};

class SimPipe {
 public:
  SimPipe(const SimStreamOptions& options, Random& random) : options_(options), random_(random) {}

  // How many of the bytes went in: none while it is full. REQUIRES: !is_broken(), bytes.
  std::size_t put(ConstBytes bytes, Instant now);
  // How many came out: none while nothing has arrived. REQUIRES: into has room.
  std::size_t take(Bytes into, Instant now);
  // When there will be more to take, or the end.
  Instant next_arrival() const;

  void finish(Instant now);  // nothing more goes in
  void break_now();          // what is inside is lost
  // It breaks when that many bytes have gone in, counted from the first. These arrive.
  void break_after(std::uint64_t bytes);
  void fall_silent() { is_silent_ = true; }  // from now on, what goes in never arrives

  bool is_broken() const { return is_broken_; }  // nothing can go in
  bool has_ended(Instant now) const;             // all was taken, and it was finished
  bool has_broken_off() const;                   // all was taken that arrived before it broke
  std::uint64_t put_so_far() const { return put_so_far_; }

 private:
  struct Part {
    Instant arrives{};
    std::vector<std::byte> bytes;
    std::size_t taken = 0;
  };

  Instant arrival(Instant now);
  std::size_t some_of(std::size_t most);

  const SimStreamOptions options_;
  Random& random_;
  std::deque<Part> parts_;
  std::size_t inside_ = 0;
  std::uint64_t put_so_far_ = 0;
  std::uint64_t breaks_after_ = UINT64_MAX;
  Instant last_arrival_{};
  std::optional<Instant> ends_;  // when the end arrives
  bool is_broken_ = false;
  bool is_silent_ = false;
};

}  // namespace forebay::sim
