// What servers say, and what it means.
#include "forebay/postgres/driver/server_answer.hpp"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace forebay::postgres {
namespace {

struct ConnectCase {
  const char* sqlstate;
  const char* message;
  Errc code;
};
std::ostream& operator<<(std::ostream& out, const ConnectCase& c) {
  return out << c.sqlstate << " " << c.message;
}

class ConnectCodeTest : public ::testing::TestWithParam<ConnectCase> {};

TEST_P(ConnectCodeTest, IsAsTheTableSays) {
  const ConnectCase& c = GetParam();

  const Errc code = connect_code(c.sqlstate, c.message);

  EXPECT_EQ(code, c.code) << c.sqlstate << " " << c.message << ": " << name(code);
}

INSTANTIATE_TEST_SUITE_P(
    Refusals, ConnectCodeTest,
    ::testing::Values(
        ConnectCase{"53300", "sorry, too many clients already", Errc::limit_reached},
        ConnectCase{"53400", "Unable to accept connection, rate exceeded.", Errc::rate_reached},
        ConnectCase{"53200", "out of memory", Errc::limit_reached},
        ConnectCase{"", "FATAL: unable to accept connection, too many open connections.",
                    Errc::limit_reached},
        ConnectCase{"", "UNABLE TO ACCEPT CONNECTION, RATE EXCEEDED", Errc::rate_reached},
        ConnectCase{"", "remaining connection slots are reserved for roles", Errc::limit_reached},
        ConnectCase{"", "sorry, too many clients already", Errc::limit_reached},
        ConnectCase{"", "too many connections for role \"app\"", Errc::limit_reached},
        ConnectCase{"", "too many connections for database \"x\"", Errc::limit_reached},
        ConnectCase{"28P01", "password authentication failed for user \"app\"", Errc::refused},
        ConnectCase{"28000", "role \"x\" does not exist", Errc::refused},
        ConnectCase{"3D000", "database \"x\" does not exist", Errc::refused},
        ConnectCase{"42501", "permission denied for database", Errc::refused},
        ConnectCase{"08006", "unable to accept connection, access denied", Errc::refused},
        ConnectCase{"28000", "access denied HINT: Signature expired: x", Errc::token_expired},
        ConnectCase{"08006", "access denied HINT: SIGNATURE EXPIRED: x", Errc::token_expired},
        ConnectCase{"28000", "IAM authentication failed for user \"admin\"", Errc::refused},
        ConnectCase{"", "unable to accept connection, sni was not received", Errc::refused},
        ConnectCase{"", "fe_sendauth: no password supplied", Errc::refused},
        ConnectCase{"", "Wrong user to action mapping. user: admin, action: DbConnect",
                    Errc::refused},
        ConnectCase{"42704", "unrecognized configuration parameter \"serch_path\"", Errc::refused},
        ConnectCase{"22023", "invalid value for parameter \"TimeZone\": \"Mars\"", Errc::refused},
        ConnectCase{"55000", "database \"x\" is not currently accepting connections",
                    Errc::refused},
        ConnectCase{"", "SSL error: certificate verify failed", Errc::refused},
        ConnectCase{"", "server certificate for \"a\" does not match host name \"b\"",
                    Errc::refused},
        ConnectCase{"", "root certificate file \"/root.crt\" does not exist", Errc::refused},
        ConnectCase{"", "private key file \"k\" has group or world access", Errc::refused},
        ConnectCase{"", "SSL error: tlsv1 alert unknown ca", Errc::refused},
        ConnectCase{"", "server does not support SSL, but SSL was required", Errc::refused},
        ConnectCase{"", "definition of service \"x\" not found", Errc::refused},
        ConnectCase{"", "connection to server failed: Connection refused", Errc::connect_failed},
        ConnectCase{"57P03", "the database system is starting up", Errc::connect_failed},
        ConnectCase{"57P03", "the database system is not yet accepting connections",
                    Errc::connect_failed},
        ConnectCase{"", "the database system is shutting down", Errc::connect_failed},
        ConnectCase{"", "unable to accept connection, waking up cluster, please retry later",
                    Errc::connect_failed}));

struct ClassCase {
  const char* sqlstate;
  const char* message;
  ErrorClass expected;
};
std::ostream& operator<<(std::ostream& out, const ClassCase& c) {
  return out << c.sqlstate << " " << c.message;
}

using enum ErrorClass;

class AnswerTest : public ::testing::TestWithParam<ClassCase> {};

TEST_P(AnswerTest, HasTheClassThatTheTableSays) {
  const ClassCase& c = GetParam();

  const ErrorClass got = statement_class(c.sqlstate, c.message, false);

  EXPECT_EQ(got, c.expected) << c.sqlstate << " " << c.message << ": " << name(got);
}

INSTANTIATE_TEST_SUITE_P(
    Answers, AnswerTest,
    ::testing::Values(
        ClassCase{"40001", "could not serialize access", retryable},
        ClassCase{"40001", "change conflicts with another transaction (OC000)", retryable},
        ClassCase{"", "schema has been updated by another transaction (OC001)", retryable},
        ClassCase{"OC000", "", retryable},
        ClassCase{"40000", "change conflicts with another transaction (OC000)", retryable},
        ClassCase{"23505", "duplicate key value (detail: Key (code)=(OC001) already exists.)",
                  permanent},
        ClassCase{"40P01", "deadlock detected", retryable},
        ClassCase{"53400", "temporary file size exceeds temp_file_limit", permanent},
        ClassCase{"53100", "disk full", permanent},
        ClassCase{"54000", "transaction row limit exceeded", permanent},
        ClassCase{"28000", "access denied", permanent},
        ClassCase{"42501", "permission denied for table t", permanent},
        ClassCase{"3D000", "database \"x\" does not exist", permanent},
        // Of a server behind this one: the session goes on.
        ClassCase{"57P01", "terminating connection due to administrator command", permanent},
        ClassCase{"57P02", "crash", permanent},
        ClassCase{"57014", "canceling statement due to user request", permanent},
        ClassCase{"25P03", "idle-in-transaction timeout", transaction_timeout},
        ClassCase{"08006", "could not connect to server \"foreign\"", permanent},
        ClassCase{"08P01", "bind message supplies 1 parameters, but it requires 2", permanent},
        ClassCase{"XX000", "server unavailable", retryable},
        ClassCase{"XX000", "cache lookup failed", unknown},
        ClassCase{"ZZ123", "of an extension's own", unknown},
        ClassCase{"0A000", "unsupported statement: Discard", unsupported_feature},
        ClassCase{"00000", "", permanent}, ClassCase{"", "", unknown},
        ClassCase{"42P01", "relation \"t\" does not exist", permanent},
        ClassCase{"40003", "", unknown_outcome},
        ClassCase{"0A000", "FOR SHARE is not supported", unsupported_feature},
        ClassCase{"53300", "too many connections", connection_limit},
        ClassCase{"54000", "transaction age limit of 300s exceeded", transaction_timeout},
        ClassCase{"57014", "canceling statement due to statement timeout", transaction_timeout},
        ClassCase{"55P03", "canceling statement due to lock timeout", transaction_timeout},
        ClassCase{"55P03", "could not obtain lock on row", permanent},
        ClassCase{"23505", "duplicate key value", permanent},
        ClassCase{"25P02", "current transaction is aborted", permanent}));

class LastWordsTest : public ::testing::TestWithParam<ClassCase> {};

TEST_P(LastWordsTest, SayMoreThanThatTheConnectionIsLost) {
  const ClassCase& c = GetParam();

  EXPECT_EQ(statement_class(c.sqlstate, c.message, true), c.expected);
}

INSTANTIATE_TEST_SUITE_P(
    Answers, LastWordsTest,
    ::testing::Values(ClassCase{"", "server closed the connection", connection_lost},
                      ClassCase{"57P01", "terminating connection", connection_lost},
                      ClassCase{"57P05", "idle-session timeout", connection_lost},
                      ClassCase{"08P01", "invalid frontend message type 0", connection_lost},
                      ClassCase{"25P03", "idle-in-transaction timeout", transaction_timeout},
                      ClassCase{"25P04", "transaction timeout", transaction_timeout},
                      ClassCase{"40001", "could not serialize access", connection_lost},
                      ClassCase{"40003", "", unknown_outcome}));

Error answer(const char* sqlstate, const char* message) {
  return Error(Errc::statement_failed, statement_class(sqlstate, message, false), message,
               sqlstate);
}

TEST(EndOfSessionTest, OnlyItsOwnEndMakesAConnectionUseless) {
  EXPECT_TRUE(
      ends_session(Error(Errc::connection_lost, "the server closed the connection"), false));
  for (const char* sqlstate :
       {"40001", "40P01", "53300", "54000", "0A000", "57014", "25P02", "08P01", "57P01", "28000"}) {
    EXPECT_FALSE(ends_session(answer(sqlstate, ""), false)) << sqlstate;
  }
  EXPECT_FALSE(ends_session(answer("XX000", "server unavailable"), true));
}

TEST(EndOfSessionTest, ARoleThatIsAskedForAgainAndRefusedHasNoMoreUseForIt) {
  EXPECT_TRUE(ends_session(answer("28000", "access denied"), true));
  EXPECT_FALSE(ends_session(answer("42501", "permission denied"), true));
}

}  // namespace
}  // namespace forebay::postgres
