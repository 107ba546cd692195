#include "forebay/core/sqlstate.hpp"

namespace forebay {
namespace {

using enum SqlMeaning;
constexpr SqlPhase kWhileConnecting = SqlPhase::connecting;
constexpr SqlPhase kInStatement = SqlPhase::statement;

struct MeaningCase {
  SqlPhase phase;
  const char* sqlstate;
  const char* message;
  SqlMeaning meaning;
};

class SqlMeaningTest : public ::testing::TestWithParam<MeaningCase> {};

TEST_P(SqlMeaningTest, IsFound) {
  const MeaningCase& c = GetParam();

  const SqlMeaning meaning = meaning_of(c.sqlstate, c.message, c.phase);

  EXPECT_EQ(meaning, c.meaning) << c.sqlstate << " " << c.message << ": " << name(meaning);
}

INSTANTIATE_TEST_SUITE_P(
    Conflicts, SqlMeaningTest,
    ::testing::Values(
        MeaningCase{kInStatement, "40001", "could not serialize access", serialization_conflict},
        MeaningCase{kInStatement, "40001", "change conflicts with another transaction (OC000)",
                    serialization_conflict},
        MeaningCase{kInStatement, "", "schema has been updated by another transaction (OC001)",
                    serialization_conflict},
        MeaningCase{kInStatement, "OC000", "", serialization_conflict},
        MeaningCase{kInStatement, "40000", "change conflicts with another transaction (OC000)",
                    serialization_conflict},
        MeaningCase{kInStatement, "23505",
                    "duplicate key value (detail: Key (code)=(OC001) already exists.)", other},
        MeaningCase{kInStatement, "40P01", "deadlock detected", serialization_conflict}));

INSTANTIATE_TEST_SUITE_P(
    Limits, SqlMeaningTest,
    ::testing::Values(
        MeaningCase{kWhileConnecting, "53300", "sorry, too many clients already", limit_reached},
        MeaningCase{kWhileConnecting, "53400", "Unable to accept connection, rate exceeded.",
                    limit_reached},
        MeaningCase{kWhileConnecting, "53200", "out of memory", limit_reached},
        MeaningCase{kWhileConnecting, "",
                    "FATAL: unable to accept connection, too many open connections.",
                    limit_reached},
        MeaningCase{kWhileConnecting, "", "UNABLE TO ACCEPT CONNECTION, RATE EXCEEDED",
                    limit_reached},
        MeaningCase{kWhileConnecting, "", "remaining connection slots are reserved for roles",
                    limit_reached},
        MeaningCase{kWhileConnecting, "", "sorry, too many clients already", limit_reached},
        MeaningCase{kWhileConnecting, "", "too many connections for role \"app\"", limit_reached},
        MeaningCase{kWhileConnecting, "", "too many connections for database \"x\"", limit_reached},
        MeaningCase{kInStatement, "53400", "temporary file size exceeds temp_file_limit", other},
        MeaningCase{kInStatement, "53100", "disk full", other},
        MeaningCase{kInStatement, "54000", "transaction row limit exceeded", transaction_limit}));

INSTANTIATE_TEST_SUITE_P(
    Refusals, SqlMeaningTest,
    ::testing::Values(
        MeaningCase{kWhileConnecting, "28P01", "password authentication failed for user \"app\"",
                    refused},
        MeaningCase{kWhileConnecting, "28000", "role \"x\" does not exist", refused},
        MeaningCase{kWhileConnecting, "3D000", "database \"x\" does not exist", refused},
        MeaningCase{kWhileConnecting, "42501", "permission denied for database", refused},
        MeaningCase{kWhileConnecting, "08006", "unable to accept connection, access denied",
                    refused},
        MeaningCase{kWhileConnecting, "28000", "access denied HINT: Signature expired: x",
                    token_expired},
        MeaningCase{kWhileConnecting, "08006", "access denied HINT: SIGNATURE EXPIRED: x",
                    token_expired},
        MeaningCase{kWhileConnecting, "28000", "IAM authentication failed for user \"admin\"",
                    refused},
        MeaningCase{kWhileConnecting, "", "unable to accept connection, sni was not received",
                    refused},
        MeaningCase{kWhileConnecting, "", "fe_sendauth: no password supplied", refused},
        MeaningCase{kWhileConnecting, "",
                    "Wrong user to action mapping. user: admin, action: DbConnect", refused},
        MeaningCase{kInStatement, "28000", "access denied", refused},
        MeaningCase{kInStatement, "42501", "permission denied for table t", other},
        MeaningCase{kInStatement, "3D000", "database \"x\" does not exist", other}));

INSTANTIATE_TEST_SUITE_P(
    Ends, SqlMeaningTest,
    ::testing::Values(
        MeaningCase{kInStatement, "57P01", "terminating connection due to administrator command",
                    shutting_down},
        MeaningCase{kInStatement, "57P02", "crash", shutting_down},
        MeaningCase{kWhileConnecting, "57P03", "the database system is starting up", shutting_down},
        MeaningCase{kWhileConnecting, "", "the database system is shutting down", shutting_down},
        MeaningCase{kInStatement, "57014", "canceling statement due to user request", other},
        MeaningCase{kInStatement, "57P05", "idle-session timeout", connection_lost},
        MeaningCase{kInStatement, "25P03", "idle-in-transaction timeout", connection_lost},
        MeaningCase{kInStatement, "08006", "connection failure", connection_lost},
        MeaningCase{kInStatement, "08P01", "protocol violation", connection_lost},
        MeaningCase{kWhileConnecting, "",
                    "unable to accept connection, waking up cluster, please retry later",
                    waking_up},
        MeaningCase{kInStatement, "XX000", "server unavailable", server_unavailable},
        MeaningCase{kInStatement, "XX000", "cache lookup failed", other},
        MeaningCase{kInStatement, "0A000", "unsupported statement: Discard", unsupported},
        MeaningCase{kInStatement, "00000", "", success}, MeaningCase{kInStatement, "", "", other},
        MeaningCase{kInStatement, "42P01", "relation \"t\" does not exist", other}));

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
}  // namespace forebay
