// SimScheduler: virtual time. When nothing is ready, the clock jumps to the next timer.
//
// Single-threaded. The same seed and the same program give the same order of events
// on every compiler. Several of them, one for each simulated process, share a clock and take
// turns on a Timeline; one that is on none has a clock of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "forebay/env/random.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/env/timer_heap.hpp"

namespace forebay::sim {

class Timeline;

class SimScheduler final : public Scheduler {
 public:
  SimScheduler() = default;  // timers due together fire in the order in which they were armed
  explicit SimScheduler(std::uint64_t tie_seed)
      : ties_(SeededRandom(tie_seed)) {}  // or in an order by seed

  Instant now() const override { return *now_; }
  Instant recent_now() const override { return *now_; }
  bool is_current_thread() const override { return true; }
  void post(std::coroutine_handle<> task) override;
  void arm(Timer& timer, Instant due) override;
  bool disarm(Timer& timer) override { return timers_.remove(timer); }

  // One resumption or one timer. False: there is nothing left to do.
  bool step();
  // Runs until there is nothing left to do. Returns the number of steps.
  std::uint64_t run();
  // Runs everything that is due up to and including that time, and leaves the clock there.
  void run_until(Instant time);
  void run_for(Duration time) { run_until(*now_ + time); }
  // Runs what is ready without letting time pass.
  void settle();

  void set_tie_seed(std::uint64_t seed) { ties_.emplace(seed); }  // from now on
  void set_after_step(std::function<void()> check) { after_step_ = std::move(check); }
  std::uint64_t steps() const { return steps_; }
  // Whose it is, for those who run several.
  void set_label(int label) { label_ = label; }
  int label() const { return label_; }
  // When step() would do something: now, the next timer's time, or never.
  Instant next_step() const {
    if (!ready_.empty()) return *now_;
    return timers_.empty() ? kNever : timers_.front().due;
  }

 private:
  friend class Timeline;
  void finish_step();
  void update_timeline();

  Instant own_now_{};
  Instant* now_ = &own_now_;
  Timeline* timeline_ = nullptr;
  HeapPlace timeline_place_;
  int label_ = 0;
  bool is_frozen_ = false;
  Instant turn_at_ = kNever;      // as the timeline knows it
  std::uint64_t turn_order_ = 0;  // among those whose turn is at the same time
  std::uint64_t next_order_ = 0;
  std::uint64_t steps_ = 0;
  std::optional<SeededRandom> ties_;
  std::deque<std::coroutine_handle<>> ready_;
  TimerHeap timers_;
  std::function<void()> after_step_;
};

}  // namespace forebay::sim
