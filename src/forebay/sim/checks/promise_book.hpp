// PromiseBook: where a broken promise is written down. The first one ends the run.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "forebay/sim/result/result.hpp"

namespace forebay::sim {

// As numbered in docs/architecture.md.
enum class Promise : std::uint8_t {
  cap = 1,
  rate = 2,
  freshness = 3,
  leases = 4,
  order = 5,
  every_waiter_ends = 6,
  clean = 7,
  supply = 8,
  never_blocks = 9,
};

class PromiseBook {
 public:
  void note_broken(Promise promise, int process, std::string what) {
    if (broken_) return;
    broken_.emplace();
    broken_->promise = static_cast<int>(promise);
    broken_->what = std::move(what);
    process_ = process;
  }
  bool is_clean() const { return !broken_; }
  // What was broken and by whom; the world adds when, and the state it was in.
  std::optional<BrokenPromise>& broken() { return broken_; }
  int process() const { return process_; }

 private:
  std::optional<BrokenPromise> broken_;
  int process_ = 0;
};

}  // namespace forebay::sim
