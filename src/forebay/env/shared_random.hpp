// SharedRandom: chance for many threads at once, where the Env's own is for its scheduler's tasks.
#pragma once

#include <atomic>

#include "forebay/env/random.hpp"

namespace forebay {

// The sequence of SeededRandom, handed out one by one: each number goes to one thread.
class SharedRandom final : public Random {
 public:
  explicit SharedRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() override {
    // Relaxed: nothing is published through it.
    SeededRandom here(state_.fetch_add(SeededRandom::kStep, std::memory_order_relaxed));
    return here.next();
  }

 private:
  std::atomic<std::uint64_t> state_;
};

}  // namespace forebay
