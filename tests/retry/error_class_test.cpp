#include "forebay/retry/error_class.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace forebay {
namespace {

using enum ErrorClass;

struct ClassCase {
  Errc code;
  std::string sqlstate;
  std::string text;
  ErrorClass expected;
};

class ErrorClassTest : public ::testing::TestWithParam<ClassCase> {};

TEST_P(ErrorClassTest, IsAsTheTableSays) {
  const ClassCase& c = GetParam();

  const ErrorClass got = classify(Error(c.code, c.text, c.sqlstate));

  EXPECT_EQ(got, c.expected) << c.sqlstate << " " << c.text << ": " << name(got);
}

const Errc kAnswered = Errc::statement_failed;

INSTANTIATE_TEST_SUITE_P(
    Answers, ErrorClassTest,
    ::testing::Values(
        ClassCase{kAnswered, "40001", "could not serialize access", retryable},
        ClassCase{kAnswered, "40001", "change conflicts with another transaction (OC000)",
                  retryable},
        ClassCase{kAnswered, "", "schema has been updated by another transaction (OC001)",
                  retryable},
        ClassCase{kAnswered, "40P01", "deadlock detected", retryable},
        ClassCase{kAnswered, "XX000", "server unavailable", retryable},
        ClassCase{kAnswered, "XX000", "cache lookup failed", permanent},
        ClassCase{kAnswered, "40003", "", unknown_outcome},
        ClassCase{kAnswered, "0A000", "FOR SHARE is not supported", unsupported_feature},
        ClassCase{kAnswered, "53300", "too many connections", connection_limit},
        ClassCase{kAnswered, "54000", "transaction row limit exceeded", permanent},
        ClassCase{kAnswered, "54000", "transaction age limit of 300s exceeded",
                  transaction_timeout},
        ClassCase{kAnswered, "57014", "canceling statement due to statement timeout",
                  transaction_timeout},
        ClassCase{kAnswered, "57014", "canceling statement due to user request", permanent},
        ClassCase{kAnswered, "55P03", "canceling statement due to lock timeout",
                  transaction_timeout},
        ClassCase{kAnswered, "55P03", "could not obtain lock on row", permanent},
        ClassCase{kAnswered, "57P01", "terminating connection", connection_lost},
        ClassCase{kAnswered, "23505", "duplicate key value", permanent},
        ClassCase{kAnswered, "25P02", "current transaction is aborted", permanent},
        ClassCase{kAnswered, "28000", "access denied", permanent}));

INSTANTIATE_TEST_SUITE_P(
    Codes, ErrorClassTest,
    ::testing::Values(
        ClassCase{Errc::connection_lost, "", "server closed the connection", connection_lost},
        ClassCase{Errc::connection_lost, "57P01", "terminating connection", connection_lost},
        ClassCase{Errc::connection_lost, "25P03", "idle-in-transaction timeout",
                  transaction_timeout},
        ClassCase{Errc::connection_lost, "25P04", "transaction timeout", transaction_timeout},
        ClassCase{Errc::timed_out, "", "the server did not answer", transaction_timeout},
        ClassCase{Errc::limit_reached, "", "no connection left", connection_limit},
        ClassCase{Errc::condition_failed, "", "shard 7 changed", condition_failed},
        ClassCase{Errc::unknown_outcome, "", "no answer", unknown_outcome},
        // The words of a conflict count only where a server said them.
        ClassCase{Errc::condition_failed, "40001", "(OC000)", condition_failed},
        ClassCase{Errc::invalid, "", "(OC000)", permanent},
        ClassCase{Errc::closed, "", "", permanent}, ClassCase{Errc::refused, "", "", permanent},
        ClassCase{Errc::token_expired, "", "", permanent},
        ClassCase{Errc::connect_failed, "", "", permanent},
        ClassCase{Errc::not_found, "", "", permanent}));

TEST(ErrorClassTest, NamesAreDifferent) {
  std::set<std::string_view> names;
  for (const ErrorClass error_class : kAllErrorClasses) names.insert(name(error_class));

  EXPECT_EQ(names.size(), kErrorClasses);
}

TEST(ErrorClassTest, OnlyWhatWasNotAppliedIsWorthARetry) {
  for (const ErrorClass error_class : kAllErrorClasses) {
    const bool is_safe = error_class == retryable || error_class == connection_lost;
    EXPECT_EQ(is_worth_retrying(error_class, false), is_safe) << name(error_class);
    EXPECT_EQ(is_worth_retrying(error_class, true), is_safe || error_class == unknown_outcome)
        << name(error_class);
  }
}

}  // namespace
}  // namespace forebay
