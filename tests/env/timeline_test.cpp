// Several schedulers on one clock.
#include "forebay/env/sim/timeline.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;

struct Note {
  int who;
  Instant when;
  bool operator==(const Note&) const = default;
};

Task<void> tick(SimScheduler& scheduler, Duration every, int times, int who,
                std::vector<Note>& notes) {
  for (int i = 0; i < times; ++i) {
    co_await sleep_for(scheduler, every);
    notes.push_back(Note{who, scheduler.now()});
  }
}

void run_to(Timeline& timeline, Instant time) {
  while (timeline.step_until(time) != nullptr) {
  }
}

TEST(TimelineTest, TheFirstDueGoesFirst) {
  Timeline timeline;
  SimScheduler a;
  SimScheduler b;
  timeline.join(a);
  timeline.join(b);
  std::vector<Note> notes;
  start_detached(a, tick(a, 30ms, 2, 1, notes));
  start_detached(b, tick(b, 20ms, 3, 2, notes));

  run_to(timeline, Instant(1s));

  const std::vector<Note> expected = {{2, Instant(20ms)},
                                      {1, Instant(30ms)},
                                      {2, Instant(40ms)},
                                      {1, Instant(60ms)},
                                      {2, Instant(60ms)}};
  EXPECT_EQ(notes, expected);
  EXPECT_EQ(timeline.now(), Instant(1s));
  EXPECT_EQ(a.now(), Instant(1s));
  timeline.leave(a);
  timeline.leave(b);
}

TEST(TimelineTest, ASchedulerThatSleptIsWokenByAnother) {
  Timeline timeline;
  SimScheduler a;
  SimScheduler b;
  timeline.join(a);
  timeline.join(b);
  std::vector<Note> notes;
  const auto wake_b = [&]() -> Task<void> {
    co_await sleep_for(a, 10ms);
    start_detached(b, tick(b, 5ms, 1, 2, notes));
  };
  start_detached(a, wake_b());

  run_to(timeline, Instant(1s));

  EXPECT_EQ(notes, (std::vector<Note>{{2, Instant(15ms)}}));
  timeline.leave(a);
  timeline.leave(b);
}

// As a process that has crashed in the world, and is taken apart by itself.
TEST(TimelineTest, OneThatLeavesGoesOnWithAClockOfItsOwn) {
  Timeline timeline;
  SimScheduler a;
  SimScheduler b;
  timeline.join(a);
  timeline.join(b);
  std::vector<Note> notes;
  start_detached(a, tick(a, 10ms, 3, 1, notes));
  start_detached(b, tick(b, 10ms, 3, 2, notes));

  run_to(timeline, Instant(15ms));
  timeline.leave(a);
  a.run();

  EXPECT_EQ(a.now(), Instant(30ms));
  EXPECT_EQ(b.now(), Instant(15ms));
  run_to(timeline, Instant(1s));
  EXPECT_EQ(notes.size(), 6u);
  timeline.leave(b);
}

std::vector<Note> with_ties(std::uint64_t seed) {
  Timeline timeline;
  timeline.set_tie_seed(seed);
  std::vector<std::unique_ptr<SimScheduler>> schedulers;
  std::vector<Note> notes;
  for (int i = 0; i < 8; ++i) {
    schedulers.push_back(std::make_unique<SimScheduler>());
    timeline.join(*schedulers.back());
    start_detached(*schedulers.back(), tick(*schedulers.back(), 10ms, 3, i, notes));
  }
  run_to(timeline, Instant(1s));
  for (auto& scheduler : schedulers) timeline.leave(*scheduler);
  return notes;
}

TEST(TimelineTest, WhatFellDueInAFrozenOneComesLateInItsOrder) {
  Timeline timeline;
  SimScheduler a;
  SimScheduler b;
  timeline.join(a);
  timeline.join(b);
  std::vector<Note> notes;
  start_detached(a, tick(a, 3s, 1, 1, notes));
  start_detached(a, tick(a, 2s, 1, 2, notes));
  start_detached(b, tick(b, 4s, 2, 3, notes));
  run_to(timeline, Instant(1s));

  timeline.set_frozen(a, true);
  run_to(timeline, Instant(5s));
  EXPECT_EQ(notes, (std::vector<Note>{{3, Instant(4s)}}));
  timeline.set_frozen(a, false);
  run_to(timeline, Instant(10s));

  EXPECT_EQ(notes, (std::vector<Note>{
                       {3, Instant(4s)}, {2, Instant(5s)}, {1, Instant(5s)}, {3, Instant(8s)}}));
  timeline.leave(a);
  timeline.leave(b);
}

TEST(TimelineTest, TiesAreBrokenBySeed) {
  EXPECT_EQ(with_ties(1), with_ties(1));
  EXPECT_NE(with_ties(1), with_ties(2));
}

}  // namespace
}  // namespace forebay::sim
