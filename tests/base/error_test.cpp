// Errors as values: names, and a Result that behaves like std::expected.
#include "forebay/base/error.hpp"

#include <memory>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "forebay/fmt.hpp"

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

Error duplicate_key() {
  ServerReport report("23505");
  report.schema = "public";
  report.table = "orders";
  report.column = "id";
  report.constraint = "orders_pkey";
  report.detail = "Key (id)=(7) already exists.";
  report.hint = "Take another.";
  return Error(Errc::statement_failed, ErrorClass::permanent, "duplicate key", report);
}

TEST(ErrorTest, CarriesWhatTheServerSaidItIsAbout) {
  const Error error = duplicate_key();

  EXPECT_EQ(error.sqlstate(), "23505");
  EXPECT_EQ(error.schema(), "public");
  EXPECT_EQ(error.table(), "orders");
  EXPECT_EQ(error.column(), "id");
  EXPECT_EQ(error.constraint(), "orders_pkey");
  EXPECT_EQ(error.detail(), "Key (id)=(7) already exists.");
  EXPECT_EQ(error.hint(), "Take another.");
  EXPECT_EQ(error.condition(), nullptr);
  EXPECT_EQ(error.with_text("in other words").constraint(), "orders_pkey");
}

TEST(ErrorTest, SaysNothingThatTheServerDidNotSay) {
  const Error spoken(Errc::statement_failed, ErrorClass::permanent, "no", ServerReport("42P01"));

  for (const Error& error : {spoken, Error(Errc::closed, "the pool is closed"),
                             Error(ConditionFailed("shard"), "changed")}) {
    EXPECT_EQ(error.constraint(), "");
    EXPECT_EQ(error.detail(), "");
  }
  EXPECT_EQ(spoken.sqlstate(), "42P01");
}

TEST(ErrorTest, IsWrittenAsCodeSqlstateAndText) {
  std::ostringstream stream;
  stream << duplicate_key();

  EXPECT_EQ(stream.str(), "statement_failed (23505): duplicate key");
  EXPECT_EQ(fmt::format("{}", duplicate_key()), stream.str());
  EXPECT_EQ(fmt::format("{:>20}|", Error(Errc::closed, "gone")), "        closed: gone|");
  EXPECT_EQ(fmt::format("{} {}", Errc::refused, ErrorClass::permanent), "refused permanent");
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

Result<int> half(int value) {
  if (value % 2 != 0) return failure(Errc::invalid, "odd");
  return value / 2;
}
Result<int> seven_if_odd(const Error& error) {
  if (error.code() == Errc::invalid) return 7;
  return failure(error);
}

TEST(ResultTest, GoesOnWithTheNextStepUntilOneFails) {
  EXPECT_EQ(Result<int>(12).and_then(half).and_then(half).value(), 3);
  const Result<int> odd = Result<int>(6).and_then(half).and_then(half).and_then(half);
  EXPECT_EQ(odd.error().text(), "odd");
  const Result<int> even = 8;
  EXPECT_EQ(even.and_then(half).value(), 4);
  EXPECT_EQ(even.value(), 8);
}

TEST(ResultTest, OfNothingGoesOnToo) {
  const Result<void> done;
  EXPECT_EQ(done.and_then([] { return half(4); }).value(), 2);
  EXPECT_EQ(done.transform([] { return 5; }).value(), 5);
  const Result<void> trouble = failure(Errc::closed, "gone");
  EXPECT_EQ(trouble.and_then([] { return half(4); }).error().code(), Errc::closed);
  EXPECT_TRUE(trouble.or_else([](const Error&) { return Result<void>(); }).has_value());
}

TEST(ResultTest, ItsValueIsTransformed) {
  const Result<std::string> text =
      Result<int>(3).transform([](int n) { return std::to_string(n); });
  EXPECT_EQ(text.value(), "3");
  int seen = 0;
  const Result<void> done = Result<int>(3).transform([&](int n) { seen = n; });
  EXPECT_TRUE(done.has_value());
  EXPECT_EQ(seen, 3);
  const Result<int> trouble = failure(Errc::closed, "gone");
  EXPECT_EQ(trouble.transform([](int n) { return n + 1; }).error().text(), "gone");
}

TEST(ResultTest, WhatCanOnlyBeMovedIsMovedOn) {
  const Result<int> taken = Result<std::unique_ptr<int>>(std::make_unique<int>(5))
                                .transform([](std::unique_ptr<int> held) { return *held; });
  EXPECT_EQ(taken.value(), 5);
}

TEST(ResultTest, AnErrorIsAnsweredOrReworded) {
  EXPECT_EQ(Result<int>(3).and_then(half).or_else(seven_if_odd).value(), 7);
  EXPECT_EQ(Result<int>(4).and_then(half).or_else(seven_if_odd).value(), 2);
  const Result<int> trouble = failure(Errc::closed, "gone");
  EXPECT_EQ(trouble.or_else(seven_if_odd).error().code(), Errc::closed);
  const auto reworded = [](const Error& error) { return error.with_text("away"); };
  EXPECT_EQ(trouble.transform_error(reworded).error().text(), "away");
  EXPECT_EQ(Result<int>(4).transform_error(reworded).value(), 4);
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
