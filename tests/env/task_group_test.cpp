// TaskGroup: starts tasks on a later turn, and lets its owner wait for all of them.
#include "forebay/env/task_group.hpp"

#include <gtest/gtest.h>

#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

Task<void> sleep_then_note(Scheduler& scheduler, Duration time, std::vector<int>& notes,
                           int number) {
  co_await sleep_for(scheduler, time);
  notes.push_back(number);
}

Task<void> join_then_note(TaskGroup& group, std::vector<int>& notes, int number) {
  co_await group.join();
  notes.push_back(number);
}

Task<void> spawn_another(TaskGroup& group, Scheduler& scheduler, std::vector<int>& notes) {
  co_await sleep_for(scheduler, 1s);
  group.spawn(sleep_then_note(scheduler, 5s, notes, 2));
  notes.push_back(1);
}

TEST(TaskGroupTest, ATaskStartsOnALaterTurn) {
  sim::SimScheduler scheduler;
  TaskGroup group(scheduler);
  std::vector<int> notes;

  group.spawn(sleep_then_note(scheduler, 0s, notes, 1));
  const std::size_t notes_after_spawn = notes.size();
  scheduler.run();

  EXPECT_EQ(notes_after_spawn, 0u);
  EXPECT_EQ(notes, (std::vector{1}));
}

TEST(TaskGroupTest, CountsWhatStillRuns) {
  sim::SimScheduler scheduler;
  TaskGroup group(scheduler);
  std::vector<int> notes;
  group.spawn(sleep_then_note(scheduler, 1s, notes, 1));
  group.spawn(sleep_then_note(scheduler, 3s, notes, 2));

  scheduler.run_for(2s);
  const std::size_t running_after_two_seconds = group.running();
  scheduler.run();

  EXPECT_EQ(running_after_two_seconds, 1u);
  EXPECT_EQ(group.running(), 0u);
}

TEST(TaskGroupTest, JoinResumesWhenTheLastTaskHasFinished) {
  sim::SimScheduler scheduler;
  TaskGroup group(scheduler);
  std::vector<int> notes;
  group.spawn(sleep_then_note(scheduler, 2s, notes, 2));
  group.spawn(sleep_then_note(scheduler, 1s, notes, 1));

  start_detached(scheduler, join_then_note(group, notes, 3));
  scheduler.run();

  EXPECT_EQ(notes, (std::vector{1, 2, 3}));
}

TEST(TaskGroupTest, JoinOfAnEmptyGroupDoesNotWait) {
  sim::SimScheduler scheduler;
  TaskGroup group(scheduler);
  std::vector<int> notes;

  start_detached(scheduler, join_then_note(group, notes, 1));
  scheduler.settle();

  EXPECT_EQ(notes, (std::vector{1}));
}

TEST(TaskGroupTest, JoinAlsoWaitsForTasksSpawnedByTasks) {
  sim::SimScheduler scheduler;
  TaskGroup group(scheduler);
  std::vector<int> notes;
  group.spawn(spawn_another(group, scheduler, notes));

  start_detached(scheduler, join_then_note(group, notes, 3));
  scheduler.run();

  EXPECT_EQ(notes, (std::vector{1, 2, 3}));
}

TEST(TaskGroupDeathTest, AGroupThatDiesBeforeItsTasksStopsTheProcess) {
  sim::SimScheduler scheduler;
  std::vector<int> notes;

  const auto die_early = [&] {
    TaskGroup group(scheduler);
    group.spawn(sleep_then_note(scheduler, 1s, notes, 1));
  };

  EXPECT_DEATH(die_early(), "a task group died before its tasks");
}

}  // namespace
}  // namespace forebay
