#include "forebay/base/error_class.hpp"

#include <set>

#include <gtest/gtest.h>

#include "forebay/base/error.hpp"

namespace forebay {
namespace {

using enum ErrorClass;

TEST(ErrorClassTest, FollowsFromTheCodeIfNoServerSpoke) {
  EXPECT_EQ(class_of(Errc::connection_lost), connection_lost);
  EXPECT_EQ(class_of(Errc::timed_out), transaction_timeout);
  EXPECT_EQ(class_of(Errc::limit_reached), connection_limit);
  EXPECT_EQ(class_of(Errc::rate_reached), connection_limit);
  EXPECT_EQ(class_of(Errc::condition_failed), condition_failed);
  EXPECT_EQ(class_of(Errc::unknown_outcome), unknown_outcome);
  for (const Errc code : {Errc::closed, Errc::refused, Errc::token_expired, Errc::connect_failed,
                          Errc::not_found, Errc::invalid, Errc::statement_failed}) {
    EXPECT_EQ(Error(code, "").error_class(), permanent) << name(code);
  }
}

// The words of a conflict count only where a server said them.
TEST(ErrorClassTest, DoesNotFollowFromTheText) {
  EXPECT_EQ(Error(Errc::statement_failed, "change conflicts (OC000)").error_class(), permanent);
}

TEST(ErrorClassTest, StaysWhenTheWordsChange) {
  const Error conflict(Errc::statement_failed, retryable, "could not serialize access", "40001");

  const Error told = conflict.with_text("tenant 7: could not serialize access");

  EXPECT_EQ(told.text(), "tenant 7: could not serialize access");
  EXPECT_EQ(told.error_class(), retryable);
  EXPECT_EQ(told.code(), Errc::statement_failed);
  EXPECT_EQ(told.sqlstate(), "40001");

  ConnectionLimit limit;
  limit.max = 7;
  const Error full = Error(limit, "none left").with_text("tenant 7: none left");
  ASSERT_NE(full.connection_limit(), nullptr);
  EXPECT_EQ(full.connection_limit()->max, 7);
  EXPECT_EQ(full.error_class(), connection_limit);
}

TEST(ErrorClassTest, NamesAreDifferent) {
  std::set<std::string_view> names;
  for (const ErrorClass error_class : kAllErrorClasses) names.insert(name(error_class));

  EXPECT_EQ(names.size(), kErrorClasses);
}

}  // namespace
}  // namespace forebay
