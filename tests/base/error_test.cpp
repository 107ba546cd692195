// Errors as values: names, and a Result that behaves like std::expected.
#include "forebay/base/error.hpp"

#include <memory>
#include <set>

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(ErrorTest, EveryCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;

  for (int code = 0; code <= static_cast<int>(Errc::invalid); ++code) {
    names.insert(name(static_cast<Errc>(code)));
  }

  EXPECT_EQ(names.size(), static_cast<std::size_t>(Errc::invalid) + 1);
  EXPECT_TRUE(names.contains("timed_out"));
  EXPECT_FALSE(names.contains(""));
}

TEST(ErrorTest, CarriesCodeTextAndSqlstate) {
  const Error plain(Errc::closed, "the pool is closed");
  const Error spoken(Errc::statement_failed, ErrorClass::permanent, "no such table", "42P01");

  EXPECT_EQ(plain.code(), Errc::closed);
  EXPECT_EQ(plain.text(), "the pool is closed");
  EXPECT_EQ(plain.sqlstate(), "");
  EXPECT_EQ(spoken.sqlstate(), "42P01");
}

TEST(ResultTest, HoldsAValueOrAFailure) {
  const Result<int> value = 7;
  const Result<int> trouble = failure(Errc::refused, "wrong password");

  EXPECT_EQ(value.value(), 7);
  ASSERT_FALSE(trouble.has_value());
  EXPECT_EQ(trouble.error().code(), Errc::refused);
  EXPECT_EQ(trouble.error().text(), "wrong password");
}

TEST(ResultTest, AFailurePassesFromOneResultTypeToAnother) {
  Result<int> inner =
      failure(Error(Errc::statement_failed, ErrorClass::retryable, "conflict", "40001"));

  const Result<std::string> outer = failure(std::move(inner).error());

  ASSERT_FALSE(outer.has_value());
  EXPECT_EQ(outer.error().sqlstate(), "40001");
}

TEST(ResultTest, HoldsWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);

  const std::unique_ptr<int> taken = std::move(result).value();

  EXPECT_EQ(*taken, 5);
}

TEST(ResultTest, OfNothingIsASuccessByDefault) {
  const Result<void> fine;
  const Result<void> trouble = failure(Errc::timed_out, "too late");

  EXPECT_TRUE(fine.has_value());
  EXPECT_FALSE(trouble.has_value());
}

// A result converts to bool, so a careless copy of a Result<bool> would turn "false" into
// "has a value".
TEST(ResultTest, OfABooleanKeepsFalseWhenCopiedAndMoved) {
  Result<bool> original = false;

  Result<bool> copy = original;
  Result<bool> moved = std::move(original);

  EXPECT_FALSE(copy.value());
  EXPECT_FALSE(moved.value());
}

TEST(ResultDeathTest, TheValueOfAnErrorStopsTheProcessWithThatError) {
  const Result<int> trouble = failure(Errc::refused, "wrong password");

  EXPECT_DEATH(static_cast<void>(*trouble), "holds an error instead.*refused: wrong password");
}

TEST(ResultDeathTest, TheErrorOfAValueStopsTheProcess) {
  const Result<int> value = 7;

  EXPECT_DEATH(static_cast<void>(value.error()),
               "the error of a Result was taken that holds a value");
}

}  // namespace
}  // namespace forebay
