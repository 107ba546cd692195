#include "forebay/coordination/leases/lease_term.hpp"

#include <gtest/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr Instant kFirst{std::chrono::hours(1)};

class LeaseTermTest : public testing::Test {
 protected:
  LeaseTerm term_{90s, BackoffRule{100ms, 5s, 0}};
  SeededRandom random_{1};
};

TEST_F(LeaseTermTest, ItEndsATtlAfterTheRequestWasSent) {
  term_.begin(kFirst, random_);
  EXPECT_EQ(term_.ends_at(), kFirst + 90s);
  term_.renewed(kFirst + 30s, random_);
  EXPECT_EQ(term_.ends_at(), kFirst + 120s);
  EXPECT_EQ(term_.heard_at(), kFirst + 30s);
}

// A reply that comes late is that of an earlier request, and makes nothing shorter.
TEST_F(LeaseTermTest, NoRenewalMakesItShorter) {
  term_.begin(kFirst, random_);
  term_.renewed(kFirst - 10s, random_);
  EXPECT_EQ(term_.ends_at(), kFirst + 90s);
}

TEST_F(LeaseTermTest, RenewalsAreDueAfterAThirdLessSomeChance) {
  Instant earliest = kNever;
  Instant latest = kFirst;
  for (int i = 0; i < 200; ++i) {
    term_.begin(kFirst, random_);
    earliest = std::min(earliest, term_.renew_at());
    latest = std::max(latest, term_.renew_at());
  }
  EXPECT_GE(earliest, kFirst + 22500ms);
  EXPECT_LT(earliest, kFirst + 24s);
  EXPECT_LE(latest, kFirst + 30s);
  EXPECT_GT(latest, kFirst + 29s);
}

TEST_F(LeaseTermTest, WhatHadNoAnswerIsSentAgainSoonAndLessOften) {
  term_.begin(kFirst, random_);
  term_.failed(kFirst + 25s, random_);
  EXPECT_EQ(term_.renew_at(), kFirst + 25100ms);
  term_.failed(kFirst + 26s, random_);
  EXPECT_EQ(term_.renew_at(), kFirst + 26200ms);
  EXPECT_EQ(term_.failures(), 2);
  EXPECT_EQ(term_.ends_at(), kFirst + 90s) << "silence does not end it sooner";

  term_.renewed(kFirst + 27s, random_);
  EXPECT_EQ(term_.failures(), 0);
  EXPECT_GT(term_.renew_at(), kFirst + 49s);
}

// Three of them fit between the time at which it is due and its end.
TEST_F(LeaseTermTest, ARenewalWaitsForItsAnswerForASixthOfTheTtl) {
  EXPECT_EQ(term_.answer_by(kFirst), kFirst + 15s);
}

TEST_F(LeaseTermTest, WhatIsOverIsNotRenewed) {
  term_.begin(kFirst, random_);
  term_.end();
  EXPECT_EQ(term_.renew_at(), kNever);
}

}  // namespace
}  // namespace forebay
