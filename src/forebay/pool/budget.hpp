// Budget: one cap over many pools of a process.
//
// Every connection of every pool that shares it holds one of its approvals, so their sum never
// exceeds max. A pool that finds no room leaves its signal here and is woken when another pool
// gives some back; who comes first gets it. Thread-safe. It outlives its pools.
#pragma once

#include <vector>

#include "forebay/base/mutex.hpp"
#include "forebay/core/capacity.hpp"
#include "forebay/env/signal.hpp"

namespace forebay {

class Budget {
 public:
  explicit Budget(int max) : capacity_(max, nullptr, [this] { wake_starved(); }) {}

  // To less: nothing is opened until enough are gone; what is open above it lives on.
  void set_max(int max);
  int max() const { return capacity_.max(); }
  int in_use() const { return capacity_.approved(); }

  // For pools.
  Capacity& capacity() { return capacity_; }
  void wake_when_roomy(Signal& signal);  // once: asked again by whoever still finds no room
  void forget(Signal& signal);

 private:
  void wake_starved();

  Mutex mutex_;
  std::vector<Signal*> starved_ FOREBAY_GUARDED_BY(mutex_);
  Capacity capacity_;
};

}  // namespace forebay
