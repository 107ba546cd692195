#include "forebay/aws/credentials/cached_credentials.hpp"

#include <vector>

#include "support/aws_world.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

// Hands out credentials that last as long as told, numbered from 1.
class Source final : public CredentialsProvider {
 public:
  Source(Scheduler& scheduler, WallClock& clock) : scheduler_(scheduler), clock_(clock) {}

  Duration life = 1h;
  Duration delay = 100ms;
  std::optional<Error> error;
  std::vector<Instant> calls;
  int most_at_once = 0;

  Task<Result<Credentials>> get(Instant deadline) override {
    calls.push_back(scheduler_.now());
    most_at_once = std::max(most_at_once, ++running_);
    const std::string id = "key" + std::to_string(calls.size());
    const Instant end = std::min(scheduler_.now() + delay, deadline);
    co_await sleep_until(scheduler_, end);
    --running_;
    if (error) co_return failure(*error);
    Credentials credentials(id, "secret", "session");
    credentials.expires_at = clock_.now() + life;
    credentials.source = "the test";
    co_return credentials;
  }

 private:
  Scheduler& scheduler_;
  WallClock& clock_;
  int running_ = 0;
};

class CachedCredentialsTest : public test::AwsWorld {
 protected:
  CachedCredentialsTest() {
    auto source = std::make_unique<Source>(scheduler_, wall_clock_);
    source_ = source.get();
    cache_ = std::make_unique<CachedCredentials>(env(), std::move(source));
  }
  ~CachedCredentialsTest() override { run(cache_->close()); }

  Result<Credentials> get(Duration timeout = 1min) { return run(cache_->get(in(timeout))); }
  std::string id(Duration timeout = 1min) {
    const Result<Credentials> result = get(timeout);
    return result ? result->access_key_id : "error: " + result.error().text();
  }
  void start(std::vector<std::optional<Result<Credentials>>>& results, std::size_t at,
             Duration timeout) {
    start_detached(scheduler_, keep(cache_->get(in(timeout)), results[at]));
  }

  Source* source_ = nullptr;
  std::unique_ptr<CachedCredentials> cache_;
};

TEST_F(CachedCredentialsTest, AFailedRenewalIsToldWithHowLongTheOldOnesLast) {
  source_->life = 10min;
  EXPECT_EQ(id(), "key1");
  source_->error = Error(Errc::connect_failed, "nobody answers");
  scheduler_.run_for(6min);
  EXPECT_EQ(id(), "key1");
  scheduler_.run_for(1s);

  const std::vector<std::string> lines = log_.lines("AWS credentials not renewed");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with(
      "warning AWS credentials not renewed error=\"nobody answers\" attempt=1 retry_in="))
      << lines[0];
  EXPECT_EQ(log_.values("AWS credentials not renewed", "good_for").size(), 1u);
}

TEST_F(CachedCredentialsTest, ManyCallersShareOneFetch) {
  std::vector<std::optional<Result<Credentials>>> results(100);
  for (std::size_t i = 0; i < results.size(); ++i) start(results, i, 1min);
  scheduler_.run_for(1s);

  for (const auto& result : results) EXPECT_EQ(result->value().access_key_id, "key1");
  EXPECT_EQ(source_->calls.size(), 1u);
}

TEST_F(CachedCredentialsTest, WhatIsGoodIsHandedOutWithoutAFetch) {
  EXPECT_EQ(id(), "key1");
  scheduler_.run_for(54min);

  const Instant before = scheduler_.now();
  EXPECT_EQ(id(), "key1");
  EXPECT_EQ(scheduler_.now(), before);
  EXPECT_EQ(source_->calls.size(), 1u);
}

TEST_F(CachedCredentialsTest, NewOnesAreFetchedInTheBackgroundFiveMinutesBeforeTheEnd) {
  EXPECT_EQ(id(), "key1");
  scheduler_.run_for(55min + 1s);
  const Instant before = scheduler_.now();

  EXPECT_EQ(id(), "key1");  // nobody waits
  EXPECT_EQ(scheduler_.now(), before);
  EXPECT_EQ(id(), "key1");
  scheduler_.run_for(1s);
  EXPECT_EQ(id(), "key2");
  EXPECT_EQ(source_->calls.size(), 2u);
}

TEST_F(CachedCredentialsTest, WhenRenewingFailsTheOldOnesServeUntilTheirLastMoment) {
  EXPECT_EQ(id(), "key1");
  scheduler_.run_for(55min + 1s);
  source_->error = Error(Errc::connect_failed, "away");

  const WallTime end = kStart + 100ms + 1h;
  while (wall_clock_.now() < end - 11s) {
    EXPECT_EQ(id(), "key1");
    scheduler_.run_for(500ms);
  }
  scheduler_.run_for(2s);
  EXPECT_EQ(id(), "error: away");
  // Pauses of 1, 2, 4 ... 60 seconds at most, half of that at least.
  EXPECT_GE(source_->calls.size(), 1u + 6 + 3);
  EXPECT_LE(source_->calls.size(), 1u + 7 + 9);
}

TEST_F(CachedCredentialsTest, TheyRecoverWhenTheSourceDoes) {
  source_->error = Error(Errc::connect_failed, "away");
  EXPECT_EQ(id(), "error: away");
  // In the pause after a failure, callers hear at once, and nobody is asked.
  const Instant before = scheduler_.now();
  EXPECT_EQ(id(), "error: away");
  EXPECT_EQ(scheduler_.now(), before);
  EXPECT_EQ(source_->calls.size(), 1u);

  source_->error.reset();
  scheduler_.run_for(1s);
  EXPECT_EQ(id(), "key2");
}

TEST_F(CachedCredentialsTest, PausesDoubleUpToAMinute) {
  source_->error = Error(Errc::connect_failed, "away");
  while (source_->calls.size() < 12) {
    EXPECT_EQ(id(), "error: away");
    scheduler_.run_for(100ms);
  }

  for (std::size_t i = 1; i < source_->calls.size(); ++i) {
    const Duration pause = source_->calls[i] - source_->calls[i - 1] - source_->delay;
    const Duration longest = std::min<Duration>(1s * (1 << (i - 1)), 1min);
    EXPECT_GE(pause, longest / 2) << i;
    EXPECT_LE(pause, longest + 300ms) << i;
  }
}

TEST_F(CachedCredentialsTest, TheyEndWhileTheNewOnesAreOnTheirWay) {
  EXPECT_EQ(id(), "key1");
  scheduler_.run_for(1h - 12s);
  source_->delay = 10s;
  EXPECT_EQ(id(), "key1");  // starts the fetch
  scheduler_.run_for(3s);   // nine seconds left

  const Instant before = scheduler_.now();
  EXPECT_EQ(id(), "key2");
  EXPECT_EQ(scheduler_.now() - before, 7s);
  EXPECT_EQ(source_->calls.size(), 2u);
}

TEST_F(CachedCredentialsTest, ACallersShortDeadlineDoesNotEndTheFetch) {
  source_->delay = 10s;

  const Instant before = scheduler_.now();
  const Result<Credentials> early = get(1s);
  EXPECT_EQ(scheduler_.now() - before, 1s);
  EXPECT_EQ(early.error().code(), Errc::timed_out);
  EXPECT_EQ(early.error().text(),
            "AWS credentials are still being fetched, for 1s already; the next call may find "
            "them");

  EXPECT_EQ(id(), "key1");
  EXPECT_EQ(scheduler_.now() - before, 10s);
  EXPECT_EQ(source_->calls.size(), 1u);
}

TEST_F(CachedCredentialsTest, ThereIsNeverMoreThanOneFetch) {
  source_->life = 6min;
  source_->delay = 30s;  // longer than a fetch may take
  std::vector<std::optional<Result<Credentials>>> results(2000);
  for (std::size_t i = 0; i < results.size(); ++i) {
    start(results, i, 15s);
    scheduler_.run_for(1s);
  }
  scheduler_.run_for(1min);

  EXPECT_EQ(source_->most_at_once, 1);
  for (const auto& result : results) EXPECT_TRUE(result.has_value());
}

TEST_F(CachedCredentialsTest, CredentialsWithoutAnEndAreFetchedOnce) {
  source_->life = WallTime::max() - kStart - 1h;
  EXPECT_EQ(id(), "key1");
  scheduler_.run_for(24h * 365);

  EXPECT_EQ(id(), "key1");
  EXPECT_EQ(source_->calls.size(), 1u);
}

// As instance metadata does: the same credentials until shortly before their end.
TEST_F(CachedCredentialsTest, ShortLivedOnesAreNotFetchedAtEveryCall) {
  source_->life = 2min;
  EXPECT_EQ(id(), "key1");
  for (int i = 0; i < 100; ++i) {
    scheduler_.run_for(1s);
    EXPECT_TRUE(id().starts_with("key"));
  }

  EXPECT_LE(source_->calls.size(), 5u);
}

TEST_F(CachedCredentialsTest, CredentialsThatHaveEndedAlreadyAreRefused) {
  source_->life = -1h;

  EXPECT_EQ(id(),
            "error: the AWS credentials from the test have already ended; is this machine's clock "
            "right?");
}

TEST_F(CachedCredentialsTest, AJumpOfTheClockPastTheEndFetchesNewOnes) {
  EXPECT_EQ(id(), "key1");
  wall_clock_.set_skew(2h);

  EXPECT_EQ(id(), "key2");
}

TEST_F(CachedCredentialsTest, RejectedOnesAreLookedForAnew) {
  source_->life = WallTime::max() - kStart - 1h;
  EXPECT_EQ(id(), "key1");
  scheduler_.run_for(1min);

  cache_->reject("another key");
  EXPECT_EQ(id(), "key1");
  cache_->reject("key1");
  EXPECT_EQ(id(), "key2");
  EXPECT_EQ(source_->calls.size(), 2u);
}

TEST_F(CachedCredentialsTest, ThoseRejectedAtOnceAreNotLookedForAtEveryCall) {
  for (int i = 0; i < 100; ++i) {
    const std::string key = id();
    cache_->reject(key);
    scheduler_.run_for(100ms);
  }

  EXPECT_LE(source_->calls.size(), 11u);
}

TEST_F(CachedCredentialsTest, CallersWhoWaitEndAsClosed) {
  source_->delay = 10s;
  std::vector<std::optional<Result<Credentials>>> results(3);
  for (std::size_t i = 0; i < results.size(); ++i) start(results, i, 1min);
  scheduler_.run_for(1s);

  run(cache_->close());

  for (const auto& result : results) EXPECT_EQ(result->error().code(), Errc::closed);
  EXPECT_EQ(get().error().code(), Errc::closed);
}

// Goes on with every look at it.
class TickingClock final : public WallClock {
 public:
  explicit TickingClock(WallTime start) : now_(start) {}
  WallTime now() const override { return now_ += step; }
  Duration step{};

 private:
  mutable WallTime now_;
};

TEST_F(CachedCredentialsTest, ACommandThatEndsWithTheErrorLogsNothing) {
  RefreshRule rule;
  rule.logs_failures = false;
  auto source = std::make_unique<Source>(scheduler_, wall_clock_);
  source->error = Error(Errc::refused, "no");
  CachedCredentials quiet(env(), std::move(source), rule);

  EXPECT_EQ(run(quiet.get(in(1min))).error().text(), "no");

  EXPECT_EQ(log_.count("AWS credentials not renewed"), 0u);
  run(quiet.close());
}

TEST_F(CachedCredentialsTest, TheyMayEndWhileTheyAreLookedAt) {
  TickingClock clock(kStart);
  auto source = std::make_unique<Source>(scheduler_, clock);
  source->life = 20s;
  CachedCredentials cache(Env{scheduler_, random_, clock}, std::move(source));
  ASSERT_TRUE(run(cache.get(in(1min))).has_value());

  clock.step = 6s;  // good for another 4 s at the first look, and not any more at the second
  EXPECT_TRUE(run(cache.get(in(1min))).has_value());

  clock.step = {};
  run(cache.close());
}

}  // namespace
}  // namespace forebay::aws
