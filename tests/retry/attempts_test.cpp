#include "forebay/retry/attempts.hpp"

#include <deque>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/retry/operation_metrics.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

Error conflict() {
  return Error(Errc::statement_failed, ErrorClass::retryable, "could not serialize access",
               "40001");
}

// Attempts that take a second each and end as they are told, in virtual time.
class ScriptedAttempts {
 public:
  explicit ScriptedAttempts(std::vector<Error> failures) {
    for (Error& error : failures) failures_.push_back(std::move(error));
    options.metrics = &metrics;
    options.on_attempt = [this](const AttemptReport& report) {
      EXPECT_EQ(report.operation, options.operation);
      EXPECT_EQ(report.error == nullptr, !report.error_class);
      reports.push_back(report);
    };
  }

  Result<int> run(Instant deadline = kNever) {
    AttemptBook book(options, random_, deadline, scheduler.now());
    std::optional<Result<int>> outcome;
    start_detached(scheduler, drive(book, outcome));
    while (!outcome && scheduler.step()) {
    }
    return std::move(*outcome);
  }
  OperationSnapshot counted() const { return metrics.snapshot(options.operation).value(); }

  sim::SimScheduler scheduler;
  RetryOptions options{"swap"};
  TransactionMetrics metrics;
  std::vector<AttemptReport> reports;

 private:
  Task<Result<int>> attempt(int number) {
    co_await sleep_for(scheduler, 1s);
    if (failures_.empty()) co_return number;
    const Error error = failures_.front();
    failures_.pop_front();
    co_return failure(error);
  }
  Task<void> drive(AttemptBook& book, std::optional<Result<int>>& outcome) {
    auto once = [this](int number) { return attempt(number); };
    auto pause = [this](Instant until) { return sleep_until(scheduler, until); };
    outcome = co_await run_attempts<int>(scheduler, book, once, pause);
  }

  SeededRandom random_{7};
  std::deque<Error> failures_;
};

TEST(AttemptsTest, SuccessNeedsOneAttempt) {
  ScriptedAttempts attempts({});

  const Result<int> outcome = attempts.run();

  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(*outcome, 1);
  EXPECT_EQ(attempts.scheduler.now(), Instant(1s));
  const OperationSnapshot counted = attempts.counted();
  EXPECT_EQ(counted.attempts, 1u);
  EXPECT_EQ(counted.succeeded, 1u);
  EXPECT_EQ(counted.conflicts + counted.retries + counted.failed, 0u);
  EXPECT_EQ(counted.latency.count(), 1u);
  ASSERT_EQ(attempts.reports.size(), 1u);
  EXPECT_FALSE(attempts.reports[0].backoff);
  EXPECT_EQ(attempts.reports[0].duration, 1s);
}

TEST(AttemptsTest, ConflictsAreRunAgainAfterAPause) {
  ScriptedAttempts attempts({conflict(), conflict()});

  const Result<int> outcome = attempts.run();

  ASSERT_TRUE(outcome.has_value()) << outcome.error().text();
  EXPECT_EQ(*outcome, 3);
  ASSERT_EQ(attempts.reports.size(), 3u);
  const Duration paused = *attempts.reports[0].backoff + *attempts.reports[1].backoff;
  EXPECT_EQ(attempts.scheduler.now(), Instant(3s + paused));
  EXPECT_EQ(attempts.reports[2].number, 3);
  const OperationSnapshot counted = attempts.counted();
  EXPECT_EQ(counted.attempts, 3u);
  EXPECT_EQ(counted.conflicts, 2u);
  EXPECT_EQ(counted.retries, 2u);
  EXPECT_EQ(counted.backoff.count(), 2u);
  EXPECT_EQ(counted.latency.count(), 1u);
  EXPECT_GE(counted.latency.percentile(100), 3s + paused);
}

TEST(AttemptsTest, TheLastConflictSaysHowOftenItWasTried) {
  ScriptedAttempts attempts(std::vector<Error>(10, conflict()));

  const Result<int> outcome = attempts.run();

  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().sqlstate(), "40001");
  EXPECT_NE(outcome.error().text().find("gave up after 6 attempts"), std::string::npos)
      << outcome.error().text();
  EXPECT_EQ(attempts.counted().exhausted, 1u);
  EXPECT_EQ(attempts.counted().attempts, 6u);
}

TEST(AttemptsTest, AFailedConditionIsNotRunAgain) {
  ScriptedAttempts attempts({Error(ConditionFailed("shard"), "shard 7 changed")});

  const Result<int> outcome = attempts.run();

  ASSERT_FALSE(outcome.has_value());
  ASSERT_NE(outcome.error().condition(), nullptr);
  EXPECT_EQ(outcome.error().condition()->kind, "shard");
  EXPECT_EQ(attempts.counted().attempts, 1u);
  EXPECT_EQ(attempts.counted().errors_of(ErrorClass::condition_failed), 1u);
}

TEST(AttemptsTest, AnUnknownOutcomeIsRunAgainOnlyIfThatIsHarmless) {
  const Error lost(Errc::unknown_outcome, "no answer to COMMIT");
  ScriptedAttempts careful({lost});
  ScriptedAttempts idempotent({lost});
  idempotent.options.is_idempotent = true;

  EXPECT_EQ(careful.run().error().code(), Errc::unknown_outcome);
  EXPECT_EQ(idempotent.run().value(), 2);
}

// The first attempt may have been applied, and no later failure takes that back.
TEST(AttemptsTest, AnUnknownOutcomeStaysUnknownWhateverFollows) {
  const Error lost(Errc::unknown_outcome, "no answer to COMMIT");
  ScriptedAttempts refused({lost, Error(Errc::invalid, "the body is wrong")});
  refused.options.is_idempotent = true;
  ScriptedAttempts late({lost, conflict()});
  late.options.is_idempotent = true;
  late.options.policy.max_retries = 1;

  const Error after_refusal = refused.run().error();
  const Error after_conflict = late.run().error();

  EXPECT_EQ(after_refusal.code(), Errc::unknown_outcome);
  EXPECT_NE(after_refusal.text().find("the body is wrong"), std::string::npos)
      << after_refusal.text();
  EXPECT_EQ(after_conflict.code(), Errc::unknown_outcome);
  EXPECT_NE(after_conflict.text().find("gave up after 2 attempts"), std::string::npos)
      << after_conflict.text();
}

TEST(AttemptsTest, NothingBeginsAfterTheDeadline) {
  ScriptedAttempts attempts(std::vector<Error>(10, conflict()));

  const Result<int> outcome = attempts.run(Instant(1s + 50ms));

  ASSERT_FALSE(outcome.has_value());
  EXPECT_NE(outcome.error().text().find("no time for another"), std::string::npos)
      << outcome.error().text();
  EXPECT_EQ(attempts.scheduler.now(), Instant(1s));
  EXPECT_EQ(attempts.counted().too_late, 1u);
}

TEST(AttemptsTest, TheBooksAgreeWhateverHappens) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Error> failures;
    const int count = *rc::gen::inRange(0, 8);
    for (int i = 0; i < count; ++i) {
      const bool is_conflict = *rc::gen::inRange(0, 4) != 0;
      failures.push_back(is_conflict ? conflict() : Error(Errc::connection_lost, "lost"));
    }
    if (*rc::gen::arbitrary<bool>()) failures.emplace_back(Errc::invalid, "no");
    ScriptedAttempts attempts(failures);
    const Instant deadline(Duration(*rc::gen::inRange<std::int64_t>(1, 20'000'000'000)));

    const Result<int> outcome = attempts.run(deadline);

    const OperationSnapshot counted = attempts.counted();
    std::uint64_t errors = 0;
    for (const std::uint64_t count_of_class : counted.errors) errors += count_of_class;
    RC_ASSERT(counted.succeeded + counted.failed == 1u);
    RC_ASSERT(counted.succeeded == (outcome ? 1u : 0u));
    RC_ASSERT(counted.attempts == counted.succeeded + errors);
    RC_ASSERT(errors == counted.retries + counted.failed);
    RC_ASSERT(counted.retries == counted.backoff.count());
    RC_ASSERT(attempts.reports.size() == counted.attempts);
    // Each attempt takes a second, and none begins at or after the deadline.
    RC_ASSERT(attempts.scheduler.now() < deadline + 1s);
  }));
}

TEST(TransactionMetricsTest, TooManyNamesAreCountedTogether) {
  TransactionMetrics metrics;
  for (std::size_t i = 0; i < TransactionMetrics::kMostOperations + 10; ++i) {
    metrics.operation("transfer " + std::to_string(i)).begin_attempt();
  }

  EXPECT_EQ(metrics.snapshot().size(), TransactionMetrics::kMostOperations + 1);
  EXPECT_EQ(metrics.snapshot(TransactionMetrics::kOther).value().attempts, 10u);
  EXPECT_FALSE(metrics.snapshot("unheard of"));
}

}  // namespace
}  // namespace forebay
