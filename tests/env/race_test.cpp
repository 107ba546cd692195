// race(): a task or its cancellation, and what becomes of a task that loses.
#include "forebay/env/race.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/env/random.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

using Answer = std::shared_ptr<int>;

Task<Answer> answer_after(Scheduler& scheduler, Duration time, Answer answer, int* begun) {
  ++*begun;
  if (time > Duration::zero()) co_await sleep_for(scheduler, time);
  co_return answer;
}

class RaceTest : public testing::Test {
 protected:
  struct Outcome {
    bool is_over = false;
    bool has_answer = false;
    Instant at{};
  };

  static Task<void> ask(RaceTest& test, Duration time, Outcome* outcome) {
    std::function<void(Answer&)> late = [&test](Answer& answer) { test.late_.push_back(*answer); };
    Task<Answer> task = answer_after(test.scheduler_, time, test.answer_, &test.begun_);
    const std::optional<Answer> got =
        co_await race(std::move(task), *test.cancellation_, std::move(late));
    outcome->is_over = true;
    outcome->has_answer = got.has_value();
    outcome->at = test.scheduler_.now();
  }
  Outcome& start(Duration time) {
    outcomes_.push_back(std::make_unique<Outcome>());
    start_detached(scheduler_, ask(*this, time, outcomes_.back().get()));
    return *outcomes_.back();
  }

  sim::SimScheduler scheduler_;
  std::unique_ptr<Cancellation> cancellation_ = std::make_unique<Cancellation>(scheduler_);
  Answer answer_ = std::make_shared<int>(42);
  std::vector<int> late_;
  int begun_ = 0;
  std::vector<std::unique_ptr<Outcome>> outcomes_;
};

TEST_F(RaceTest, ATaskThatIsFirstBringsItsAnswer) {
  const Outcome& at_once = start(0s);
  const Outcome& later = start(3s);

  scheduler_.run();
  cancellation_->cancel();
  scheduler_.run();

  EXPECT_TRUE(at_once.has_answer);
  EXPECT_TRUE(later.has_answer);
  EXPECT_EQ(later.at, Instant(3s));
  EXPECT_TRUE(late_.empty());
}

TEST_F(RaceTest, ATaskThatLosesGoesOnByItselfAndItsAnswerIsTakenLate) {
  const Outcome& outcome = start(5s);
  scheduler_.run_until(Instant(1s));

  cancellation_->cancel();
  scheduler_.settle();
  cancellation_.reset();  // its owner may go
  const bool was_over = outcome.is_over;
  scheduler_.run();

  EXPECT_TRUE(was_over);
  EXPECT_FALSE(outcome.has_answer);
  EXPECT_EQ(outcome.at, Instant(1s));
  EXPECT_EQ(late_, (std::vector<int>{42}));
  EXPECT_EQ(answer_.use_count(), 1) << "nothing of it is left";
}

TEST_F(RaceTest, WhatIsCancelledBeforeIsNotBegun) {
  cancellation_->cancel();

  const Outcome& outcome = start(5s);
  scheduler_.run();

  EXPECT_TRUE(outcome.is_over);
  EXPECT_FALSE(outcome.has_answer);
  EXPECT_EQ(begun_, 0);
}

// Whatever comes first, also in the same instant: each answer is taken once, in time or late.
TEST_F(RaceTest, NoAnswerIsLostWhenEverythingHappensAtOnce) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SeededRandom random(seed);
    scheduler_.set_tie_seed(seed);
    cancellation_ = std::make_unique<Cancellation>(scheduler_);
    outcomes_.clear();
    late_.clear();
    begun_ = 0;
    for (int i = 0; i < 10; ++i) start(std::chrono::seconds(random.below(4)));
    const std::chrono::seconds cancel_after(random.below(4));
    scheduler_.settle();
    scheduler_.run_until(scheduler_.now() + cancel_after);

    cancellation_->cancel();
    scheduler_.run();

    int in_time = 0;
    for (const auto& outcome : outcomes_) {
      EXPECT_TRUE(outcome->is_over) << "seed " << seed;
      in_time += outcome->has_answer ? 1 : 0;
    }
    EXPECT_EQ(in_time + static_cast<int>(late_.size()), begun_) << "seed " << seed;
    EXPECT_EQ(answer_.use_count(), 1) << "seed " << seed;
  }
}

}  // namespace
}  // namespace forebay
