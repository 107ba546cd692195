#include "forebay/doctor/database_check.hpp"

#include "doctor/findings.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using doctor::check_database;
using doctor::ConnectStep;
using doctor::DatabaseSight;
using doctor::failed_step;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

DatabaseSight healthy_sight() {
  DatabaseSight sight;
  sight.place = "db.example:5432";
  sight.user = "app";
  sight.name = "orders";
  sight.sslmode = "verify-full";
  sight.connect_time = 12ms;
  sight.round_trip = 1ms;
  sight.version = "17.2";
  sight.max_connections = 100;
  sight.reserved = 3;
  sight.sessions = 10;
  sight.role_limit = -1;
  sight.database_limit = -1;
  sight.is_encrypted = true;
  return sight;
}

DatabaseSight failed_sight(const Error& error, bool has_token = false,
                           const std::string& user = "app") {
  DatabaseSight sight;
  sight.place = "db.example:5432";
  sight.user = user;
  sight.has_token = has_token;
  sight.failure = error;
  return sight;
}

Findings database_checked(const DatabaseSight& sight) { return check_database(sight, 50, 30s); }

TEST(DatabaseCheckTest, AHealthyDatabaseIsToldWithItsFigures) {
  const Findings findings = database_checked(healthy_sight());
  EXPECT_THAT(findings, all_well());
  EXPECT_THAT(findings, Contains(tells(Severity::ok,
                                       "db.example:5432 as app, database orders, "
                                       "version 17.2")));
  EXPECT_THAT(findings, Contains(tells(Severity::ok, "10 sessions of 97")));
}

TEST(DatabaseCheckTest, AFailedConnectIsToldByTheStepThatFailed) {
  const auto step = [](const char* text, const char* state = "") {
    return failed_step(Error(Errc::connect_failed, text, state));
  };
  EXPECT_EQ(step("could not translate host name \"x\" to address: Name or service not known"),
            ConnectStep::name);
  EXPECT_EQ(step("connection to server at \"x\", port 1 failed: Connection refused"),
            ConnectStep::network);
  EXPECT_EQ(failed_step(Error(Errc::timed_out, "the server did not answer within 10s")),
            ConnectStep::network);
  EXPECT_EQ(step("server does not support SSL, but SSL was required"), ConnectStep::tls);
  EXPECT_EQ(step("SSL error: certificate verify failed"), ConnectStep::tls);
  EXPECT_EQ(step("password authentication failed", "28P01"), ConnectStep::login);
  EXPECT_EQ(step("fe_sendauth: no password supplied"), ConnectStep::login);
  EXPECT_EQ(step("unable to accept connection, access denied", "08006"), ConnectStep::login);
  EXPECT_EQ(step("database \"x\" does not exist", "3D000"), ConnectStep::database);
  EXPECT_EQ(step("too many open connections", "53300"), ConnectStep::capacity);
  EXPECT_EQ(step("the database system is starting up", "57P03"), ConnectStep::server);
}

TEST(DatabaseCheckTest, AServerThatIsAwayNamesWhatToCheck) {
  EXPECT_THAT(database_checked(failed_sight(Error(Errc::connect_failed, "Connection refused"))),
              ElementsAre(tells(Severity::error, "cannot be reached (db.example:5432)",
                                "security groups, VPC endpoints and the NAT gateway")));
}

TEST(DatabaseCheckTest, ARefusedTokenNamesThePermission) {
  const Error refused(Errc::refused, "unable to accept connection, access denied", "28000");
  EXPECT_THAT(database_checked(failed_sight(refused, true, "admin")),
              ElementsAre(tells(Severity::error, "refuses the login", "dsql:DbConnectAdmin")));
  EXPECT_THAT(database_checked(failed_sight(refused, true)),
              ElementsAre(tells(Severity::error, "refuses the login", "AWS IAM GRANT")));
  EXPECT_THAT(database_checked(failed_sight(Error(Errc::refused, "no", "28P01"))),
              ElementsAre(tells(Severity::error, "refuses the login", "DB_PASSWORD")));
}

TEST(DatabaseCheckTest, DsqlWantsToKnowWhoAnswers) {
  DatabaseSight sight = healthy_sight();
  sight.is_dsql = true;
  sight.max_connections = 20;  // what DSQL answers, and means nothing
  EXPECT_THAT(database_checked(sight), all_well());
  sight.sslmode = "require";
  EXPECT_THAT(database_checked(sight),
              Contains(tells(Severity::note, "sslmode is require", "verify-full")));
  sight.sslmode = "prefer";
  EXPECT_THAT(database_checked(sight),
              Contains(tells(Severity::warning, "sslmode is prefer", "verify-full")));
}

TEST(DatabaseCheckTest, PlainTextIsAWarningUnlessItStaysOnTheMachine) {
  DatabaseSight sight = healthy_sight();
  sight.is_encrypted = false;
  EXPECT_THAT(database_checked(sight),
              Contains(tells(Severity::warning, "not encrypted", "DB_SSLMODE")));
  sight.is_local = true;
  EXPECT_THAT(database_checked(sight), all_well());
}

TEST(DatabaseCheckTest, APoolThatDoesNotFitIsAnError) {
  DatabaseSight sight = healthy_sight();
  sight.max_connections = 40;
  EXPECT_THAT(
      database_checked(sight),
      Contains(tells(Severity::error, "50 connections, and the server", "FOREBAY_POOL_MAX")));
  sight = healthy_sight();
  sight.role_limit = 5;
  EXPECT_THAT(database_checked(sight), Contains(tells(Severity::error, "and the role", "53300")));
  sight = healthy_sight();
  sight.database_limit = 7;
  EXPECT_THAT(database_checked(sight), Contains(tells(Severity::error, "and the database")));
}

TEST(DatabaseCheckTest, AFullServerAndItsOwnTimeoutsAreWarnings) {
  DatabaseSight sight = healthy_sight();
  sight.sessions = 90;
  EXPECT_THAT(database_checked(sight),
              Contains(tells(Severity::warning, "90 sessions of 97", "pg_stat_activity")));
  sight = healthy_sight();
  sight.idle_session_timeout = 10s;
  EXPECT_THAT(database_checked(sight), Contains(tells(Severity::warning, "idle for 10s")));
  sight.idle_session_timeout = 10min;
  EXPECT_THAT(database_checked(sight), all_well());
}

TEST(DatabaseCheckTest, TheServersOwnTimeLimitsAreNoted) {
  DatabaseSight sight = healthy_sight();
  sight.statement_timeout = 30s;
  sight.idle_transaction_timeout = 0s;
  const Findings findings = database_checked(sight);
  EXPECT_THAT(findings, Contains(tells(Severity::note, "statements after 30s")));
  EXPECT_THAT(findings, Not(Contains(tells(Severity::note, "transactions that do nothing"))));
}

TEST(DatabaseCheckTest, FarAwayIsNoted) {
  DatabaseSight sight = healthy_sight();
  sight.round_trip = 120ms;
  EXPECT_THAT(database_checked(sight), Contains(tells(Severity::note, "a round trip 120 ms")));
}

}  // namespace
}  // namespace forebay::test
