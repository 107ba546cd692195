// ManualClock: a wall clock that stands until it is set, from any thread.
#pragma once

#include <atomic>

#include "forebay/env/wall_clock.hpp"

namespace forebay {

class ManualClock final : public WallClock {
 public:
  explicit ManualClock(Duration since_1970) : time_(since_1970.count()) {}

  WallTime now() const override {
    const WallTime time{Duration(time_.load())};
    ++reads_;
    return time;
  }
  void advance(Duration by) { time_ += by.count(); }  // negative: back
  int reads() const { return reads_; }                // how often somebody looked

 private:
  std::atomic<Duration::rep> time_;
  mutable std::atomic<int> reads_ = 0;
};

}  // namespace forebay
