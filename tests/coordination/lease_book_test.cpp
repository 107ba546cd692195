#include "forebay/coordination/leases/lease_book.hpp"

#include <gtest/gtest.h>

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

class LeaseBookTest : public testing::Test {
 protected:
  void acquire(int count) {
    book_.begin_acquire(count, 100, now_);
    book_.end_granted(book_.held() + count);
  }
  LeaseBook book_{"p"};
  Instant now_{1h};
};

TEST_F(LeaseBookTest, AnAcquireCountsWhenItIsAnswered) {
  book_.begin_acquire(3, 100, now_);
  EXPECT_EQ(book_.held(), 0);
  EXPECT_FALSE(book_.has_lease());

  book_.end_granted(3);
  EXPECT_EQ(book_.stock(), 3);
  EXPECT_TRUE(book_.has_lease());
}

TEST_F(LeaseBookTest, AReleaseCountsFromItsBeginning) {
  acquire(3);
  book_.hand_out();
  book_.begin_release(2, now_);
  EXPECT_EQ(book_.held(), 1);
  EXPECT_EQ(book_.stock(), 0);

  book_.end_released(1);
  EXPECT_EQ(book_.held(), 1);
  EXPECT_EQ(book_.overhang(), 0);
  book_.take_back();
}

TEST_F(LeaseBookTest, EachChangeHasTheNextNumberAndARefusedOneUsesNoneUp) {
  book_.begin_acquire(3, 100, now_);
  EXPECT_EQ(book_.request().sequence, 1u);
  EXPECT_EQ(book_.request().sequence, 1u);
  book_.end_refused();
  acquire(1);
  book_.begin_acquire(1, 100, now_);
  EXPECT_EQ(book_.request().sequence, 2u);
  book_.end_granted(2);
}

TEST_F(LeaseBookTest, ALeaseThatEndedOrWasLostIsNeverNamedAgain) {
  const std::string first = book_.id();
  acquire(1);
  book_.begin_release(1, now_);
  book_.end_released(0);
  const std::string second = book_.id();
  acquire(2);
  book_.hand_out();
  book_.lose();

  EXPECT_NE(first, second);
  EXPECT_NE(book_.id(), second);
  EXPECT_EQ(book_.held(), 0);
  EXPECT_EQ(book_.overhang(), 1);
  EXPECT_FALSE(book_.has_lease());
  book_.begin_acquire(1, kNoLimit, now_);
  EXPECT_EQ(book_.request().sequence, 1u);
  book_.take_back();
}

TEST_F(LeaseBookTest, WhatATryBroughtThatCameLateIsStock) {
  acquire(1);
  book_.begin_acquire(1, 100, now_);
  book_.end_granted(6);
  EXPECT_EQ(book_.stock(), 6);
}

TEST_F(LeaseBookTest, SurplusIsWhatNobodyNeededForTheWholeTime) {
  acquire(5);
  book_.watch_stock();
  book_.hand_out();
  book_.hand_out();
  book_.take_back();
  book_.take_back();
  EXPECT_EQ(book_.surplus(), 3);

  book_.watch_stock();
  EXPECT_EQ(book_.surplus(), 5);
}

}  // namespace
}  // namespace forebay::test
