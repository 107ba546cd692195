// How long tokens are used, and what happens when none can be made, in virtual time.
#include "forebay/aws/dsql_tokens.hpp"

#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Gives what it has after a while, by the deadline.
class SlowCredentials final : public CredentialsProvider {
 public:
  explicit SlowCredentials(Scheduler& scheduler) : scheduler_(scheduler) {}

  Task<Result<Credentials>> get(Instant deadline) override {
    ++asked;
    const Instant arrival = scheduler_.now() + delay;
    co_await sleep_until(scheduler_, std::min(arrival, deadline));
    if (arrival > deadline) co_return failure(Errc::timed_out, "no credentials by the deadline");
    co_return answer;
  }

  void reject(const std::string& access_key_id) override { rejected.push_back(access_key_id); }

  int asked = 0;
  std::vector<std::string> rejected;
  Duration delay{};
  Result<Credentials> answer = Credentials("id", "SECRET", "SESSION");

 private:
  Scheduler& scheduler_;
};

class DsqlTokensTest : public testing::Test {
 protected:
  using Slot = std::optional<Result<std::string>>;

  static Task<void> fetch(DsqlTokens& tokens, Instant deadline, Slot& slot) {
    Result<std::string> token = co_await tokens.token(deadline);
    slot.emplace(std::move(token));
  }
  void start(Slot& slot, Duration patience = 1s) {
    start_detached(scheduler_, fetch(tokens_, scheduler_.now() + patience, slot));
  }
  Result<std::string> token(Duration patience = 1s) {
    Slot slot;
    start(slot, patience);
    scheduler_.run();
    return std::move(*slot);
  }

  sim::SimScheduler scheduler_;
  SeededRandom random_{1};
  sim::SimWallClock wall_clock_{scheduler_, WallTime(1'724'716'800s)};
  SlowCredentials credentials_{scheduler_};
  DsqlTokens tokens_{Env{scheduler_, random_, wall_clock_}, credentials_,
                     DsqlTokenRequest{"abc.dsql.eu-west-1.on.aws", "eu-west-1", "app"}};
};

TEST_F(DsqlTokensTest, ATokenIsUsedUntilAThirdOfItsLifeIsLeft) {
  const std::string first = *token();
  scheduler_.run_for(10min);
  const std::string second = *token();
  scheduler_.run_for(1s);
  const std::string third = *token();

  EXPECT_THAT(first, HasSubstr("X-Amz-Expires=900"));
  EXPECT_EQ(second, first);
  EXPECT_NE(third, first);
  EXPECT_EQ(credentials_.asked, 2);
}

TEST_F(DsqlTokensTest, CredentialsAreAskedForOnceHoweverManyWait) {
  credentials_.delay = 300ms;
  std::vector<Slot> slots(20);

  for (Slot& slot : slots) start(slot);
  scheduler_.run();

  EXPECT_EQ(credentials_.asked, 1);
  for (const Slot& slot : slots) EXPECT_EQ(**slot, **slots.front());
}

TEST_F(DsqlTokensTest, WhileATokenIsRenewedTheOldOneServes) {
  const std::string old = *token();
  scheduler_.run_for(11min);
  credentials_.delay = 500ms;
  Slot renewing;
  Slot other;

  start(renewing);
  scheduler_.settle();
  start(other);
  scheduler_.settle();

  EXPECT_FALSE(renewing.has_value());
  EXPECT_EQ(**other, old);
  scheduler_.run();
  EXPECT_NE(**renewing, old);
}

TEST_F(DsqlTokensTest, WhenRenewalFailsTheOldOneServesUntilItRunsOut) {
  const std::string old = *token();
  credentials_.answer = failure(Errc::connect_failed, "the metadata service is away");
  scheduler_.run_for(14min + 59s);
  const Result<std::string> late = token();
  scheduler_.run_for(1s);
  const Result<std::string> too_late = token();

  EXPECT_EQ(*late, old);
  ASSERT_FALSE(too_late.has_value());
  EXPECT_EQ(too_late.error().code(), Errc::connect_failed);
  EXPECT_EQ(too_late.error().text(),
            "no IAM token for user \"app\" of abc.dsql.eu-west-1.on.aws: the metadata service is "
            "away");
}

TEST_F(DsqlTokensTest, ARejectedTokenIsNotHandedOutAgain) {
  const std::string first = *token();
  tokens_.reject("another one");
  const std::string same = *token();
  tokens_.reject(first);
  const std::string second = *token();  // within the same second
  tokens_.reject(second);
  scheduler_.run_for(1s);
  const std::string third = *token();

  EXPECT_EQ(same, first);
  EXPECT_NE(second, first);
  EXPECT_NE(third, second);
  EXPECT_EQ(credentials_.asked, 3);
}

// The server knows better than they whether credentials have run out.
TEST_F(DsqlTokensTest, ATokenRefusedBeforeItsTimeBlamesTheCredentials) {
  const std::string first = *token();
  scheduler_.run_for(15min);
  tokens_.reject(first);  // it had to run out
  EXPECT_TRUE(credentials_.rejected.empty());

  const std::string second = *token();
  tokens_.reject(second);
  tokens_.reject(second);

  EXPECT_EQ(credentials_.rejected, std::vector<std::string>{"id"});
}

TEST_F(DsqlTokensTest, ATokenNeverOutlivesItsCredentials) {
  credentials_.answer->expires_at = wall_clock_.now() + 60s;
  const std::string first = *token();
  scheduler_.run_for(41s);
  const std::string second = *token();
  scheduler_.run_for(19s);
  const Result<std::string> third = token();

  EXPECT_THAT(first, HasSubstr("X-Amz-Expires=60&"));
  EXPECT_THAT(second, HasSubstr("X-Amz-Expires=19&"));
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error().code(), Errc::connect_failed);
  EXPECT_THAT(third.error().text(), AllOf(HasSubstr("ran out"), HasSubstr("renew them")));
}

TEST_F(DsqlTokensTest, AFailureIsSharedButADeadlineIsNot) {
  credentials_.delay = 500ms;
  Slot impatient;
  Slot patient;
  start(impatient, 200ms);
  start(patient, 2s);
  scheduler_.run();

  ASSERT_FALSE(impatient->has_value());
  EXPECT_EQ(impatient->error().code(), Errc::timed_out);
  EXPECT_TRUE(patient->has_value());
  EXPECT_EQ(credentials_.asked, 2);

  tokens_.reject(**patient);
  credentials_.answer = failure(Errc::refused, "there are no credentials");
  std::vector<Slot> slots(5);
  for (Slot& slot : slots) start(slot);
  scheduler_.run();
  for (const Slot& slot : slots) EXPECT_EQ((*slot).error().code(), Errc::refused);
  EXPECT_EQ(credentials_.asked, 3);
}

TEST_F(DsqlTokensTest, AWaiterGivesUpAtItsOwnDeadline) {
  credentials_.delay = 2s;
  Slot first;
  Slot second;
  start(first, 5s);
  start(second, 100ms);
  scheduler_.run_for(100ms);

  ASSERT_TRUE(second.has_value() && !second->has_value());
  EXPECT_EQ(second->error().code(), Errc::timed_out);
  scheduler_.run();
  EXPECT_TRUE(first->has_value());
}

TEST_F(DsqlTokensTest, AClockThatJumpsBackMakesANewToken) {
  const std::string first = *token();
  wall_clock_.set_skew(-1h);

  const std::string second = *token();

  EXPECT_NE(second, first);
}

TEST_F(DsqlTokensTest, ErrorsShowNoSecret) {
  credentials_.answer->expires_at = wall_clock_.now() - 1s;

  const Result<std::string> none = token();

  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().text(), AllOf(Not(HasSubstr("SECRET")), Not(HasSubstr("SESSION"))));
}

}  // namespace
}  // namespace forebay::aws
