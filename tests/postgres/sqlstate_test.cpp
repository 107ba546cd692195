#include "forebay/postgres/sqlstate.hpp"

namespace forebay::postgres {
namespace {

using enum SqlMeaning;
constexpr SqlPhase kConnecting = SqlPhase::connecting;
constexpr SqlPhase kStatement = SqlPhase::statement;

struct Case {
  SqlPhase phase;
  const char* sqlstate;
  const char* message;
  SqlMeaning meaning;
};

class SqlMeaningTest : public ::testing::TestWithParam<Case> {};

TEST_P(SqlMeaningTest, IsFound) {
  const Case& c = GetParam();

  const SqlMeaning meaning = meaning_of(c.sqlstate, c.message, c.phase);

  EXPECT_EQ(meaning, c.meaning) << c.sqlstate << " " << c.message << ": " << name(meaning);
}

INSTANTIATE_TEST_SUITE_P(
    Conflicts, SqlMeaningTest,
    ::testing::Values(Case{kStatement, "40001", "could not serialize access",
                           serialization_conflict},
                      Case{kStatement, "40001", "change conflicts with another transaction (OC000)",
                           serialization_conflict},
                      Case{kStatement, "", "schema has been updated by another transaction (OC001)",
                           serialization_conflict},
                      Case{kStatement, "OC000", "", serialization_conflict},
                      Case{kStatement, "40P01", "deadlock detected", other}));

INSTANTIATE_TEST_SUITE_P(
    Limits, SqlMeaningTest,
    ::testing::Values(
        Case{kConnecting, "53300", "sorry, too many clients already", limit_reached},
        Case{kConnecting, "53400", "Unable to accept connection, rate exceeded.", limit_reached},
        Case{kConnecting, "53200", "out of memory", limit_reached},
        Case{kConnecting, "", "FATAL: unable to accept connection, too many open connections.",
             limit_reached},
        Case{kConnecting, "", "UNABLE TO ACCEPT CONNECTION, RATE EXCEEDED", limit_reached},
        Case{kConnecting, "", "remaining connection slots are reserved for roles", limit_reached},
        Case{kConnecting, "", "sorry, too many clients already", limit_reached},
        Case{kConnecting, "", "too many connections for role \"app\"", limit_reached},
        Case{kConnecting, "", "too many connections for database \"x\"", limit_reached},
        Case{kStatement, "53400", "temporary file size exceeds temp_file_limit", other},
        Case{kStatement, "53100", "disk full", other},
        Case{kStatement, "54000", "transaction row limit exceeded", transaction_limit}));

INSTANTIATE_TEST_SUITE_P(
    Refusals, SqlMeaningTest,
    ::testing::Values(
        Case{kConnecting, "28P01", "password authentication failed for user \"app\"", refused},
        Case{kConnecting, "28000", "role \"x\" does not exist", refused},
        Case{kConnecting, "3D000", "database \"x\" does not exist", refused},
        Case{kConnecting, "42501", "permission denied for database", refused},
        Case{kConnecting, "08006", "unable to accept connection, access denied", refused},
        Case{kConnecting, "28000", "access denied HINT: Signature expired: x", token_expired},
        Case{kConnecting, "08006", "access denied HINT: SIGNATURE EXPIRED: x", token_expired},
        Case{kConnecting, "28000", "IAM authentication failed for user \"admin\"", refused},
        Case{kConnecting, "", "unable to accept connection, sni was not received", refused},
        Case{kConnecting, "", "fe_sendauth: no password supplied", refused},
        Case{kConnecting, "", "Wrong user to action mapping. user: admin, action: DbConnect",
             refused},
        Case{kStatement, "28000", "access denied", refused},
        Case{kStatement, "42501", "permission denied for table t", other},
        Case{kStatement, "3D000", "database \"x\" does not exist", other}));

INSTANTIATE_TEST_SUITE_P(
    Ends, SqlMeaningTest,
    ::testing::Values(
        Case{kStatement, "57P01", "terminating connection due to administrator command",
             shutting_down},
        Case{kStatement, "57P02", "crash", shutting_down},
        Case{kConnecting, "57P03", "the database system is starting up", shutting_down},
        Case{kConnecting, "", "the database system is shutting down", shutting_down},
        Case{kStatement, "57014", "canceling statement due to user request", other},
        Case{kStatement, "57P05", "idle-session timeout", connection_lost},
        Case{kStatement, "25P03", "idle-in-transaction timeout", connection_lost},
        Case{kStatement, "08006", "connection failure", connection_lost},
        Case{kStatement, "08P01", "protocol violation", connection_lost},
        Case{kConnecting, "", "unable to accept connection, waking up cluster, please retry later",
             waking_up},
        Case{kStatement, "XX000", "server unavailable", server_unavailable},
        Case{kStatement, "XX000", "cache lookup failed", other},
        Case{kStatement, "0A000", "unsupported statement: Discard", unsupported},
        Case{kStatement, "00000", "", success}, Case{kStatement, "", "", other},
        Case{kStatement, "42P01", "relation \"t\" does not exist", other}));

TEST(SqlMeaningUseTest, OnlyTheEndOfASessionIsFatalForItsConnection) {
  for (const SqlMeaning meaning : {shutting_down, connection_lost, refused}) {
    EXPECT_TRUE(is_fatal_for_connection(meaning)) << name(meaning);
  }
  for (const SqlMeaning meaning :
       {success, serialization_conflict, limit_reached, transaction_limit, unsupported,
        server_unavailable, waking_up, other}) {
    EXPECT_FALSE(is_fatal_for_connection(meaning)) << name(meaning);
  }
}

TEST(SqlMeaningUseTest, ConnectFailuresAreTriedAgainUnlessRefusedForGood) {
  EXPECT_EQ(connect_error_code(refused), Errc::refused);
  EXPECT_EQ(connect_error_code(limit_reached), Errc::limit_reached);
  for (const SqlMeaning meaning :
       {shutting_down, waking_up, connection_lost, server_unavailable, other}) {
    EXPECT_EQ(connect_error_code(meaning), Errc::connect_failed) << name(meaning);
  }
}

}  // namespace
}  // namespace forebay::postgres
