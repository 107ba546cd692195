#include "forebay/doctor/database_check.hpp"

#include "doctor/findings.hpp"
#include "forebay/config/rules.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using doctor::check_database;
using doctor::ConnectStep;
using doctor::DatabaseFacts;
using doctor::failed_step;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

DatabaseFacts healthy_facts() {
  DatabaseFacts facts;
  facts.place = "db.example:5432";
  facts.user = "app";
  facts.name = "orders";
  facts.sslmode = "verify-full";
  facts.connect_time = 12ms;
  facts.round_trip = 1ms;
  facts.version = "17.2";
  facts.max_connections = 100;
  facts.reserved = 3;
  facts.sessions = 10;
  facts.role_limit = -1;
  facts.database_limit = -1;
  facts.is_encrypted = true;
  return facts;
}

DatabaseFacts failed_facts(const Error& error, bool has_token = false,
                           const std::string& user = "app") {
  DatabaseFacts facts;
  facts.place = "db.example:5432";
  facts.user = user;
  facts.has_token = has_token;
  facts.failure = error;
  return facts;
}

Findings database_checked(const DatabaseFacts& facts) { return check_database(facts, 50, 30s); }

TEST(DatabaseCheckTest, AHealthyDatabaseIsToldWithItsFigures) {
  const Findings findings = database_checked(healthy_facts());
  EXPECT_THAT(findings, all_well());
  EXPECT_THAT(findings, Contains(tells(Severity::ok,
                                       "db.example:5432 as app, database orders, "
                                       "version 17.2")));
  EXPECT_THAT(findings, Contains(tells(Severity::ok, "10 sessions of 97")));
}

// 100 connections, three of them reserved.
TEST(DatabaseCheckTest, APostgresqlAsItIsInstalledHasRoomForAPoolThatNobodyConfigured) {
  const PoolOptions pool = config::pool_at_server(Configuration());
  EXPECT_THAT(check_database(healthy_facts(), *pool.size.max, pool.check_after_idle), all_well());
}

TEST(DatabaseCheckTest, AFailedConnectIsToldByTheStepThatFailed) {
  const auto step = [](const char* text, const char* state = "", const char* sslmode = "prefer") {
    return failed_step(Error(Errc::connect_failed, ErrorClass::permanent, text, state), sslmode);
  };
  EXPECT_EQ(step("could not translate host name \"x\" to address: Name or service not known"),
            ConnectStep::name);
  EXPECT_EQ(step("connection to server at \"x\", port 1 failed: Connection refused"),
            ConnectStep::network);
  EXPECT_EQ(failed_step(Error(Errc::timed_out, "the server did not answer within 10s"), "prefer"),
            ConnectStep::network);
  EXPECT_EQ(step("server does not support SSL, but SSL was required"), ConnectStep::tls);
  EXPECT_EQ(step("SSL error: certificate verify failed"), ConnectStep::tls);
  EXPECT_EQ(step("password authentication failed", "28P01"), ConnectStep::login);
  EXPECT_EQ(step("fe_sendauth: no password supplied"), ConnectStep::login);
  EXPECT_EQ(step("unable to accept connection, access denied", "08006"), ConnectStep::login);
  EXPECT_EQ(step("database \"x\" does not exist", "3D000"), ConnectStep::database);
  EXPECT_EQ(step("too many open connections", "53300"), ConnectStep::capacity);
  EXPECT_EQ(step("the database system is starting up", "57P03"), ConnectStep::server);
  const char* unencrypted =
      "no pg_hba.conf entry for host \"h\", user \"u\", database \"d\", no encryption";
  EXPECT_EQ(step(unencrypted, "28000", "disable"), ConnectStep::tls);
  EXPECT_EQ(step(unencrypted, "28000"), ConnectStep::login);  // TLS was offered, and is not there
  EXPECT_EQ(step("received invalid response to SSL negotiation: H"), ConnectStep::stranger);
}

TEST(DatabaseCheckTest, AServerThatIsAwayNamesWhatToCheck) {
  EXPECT_THAT(database_checked(failed_facts(Error(Errc::connect_failed, "Connection refused"))),
              ElementsAre(tells(Severity::error, "cannot be reached (db.example:5432)",
                                "security groups, VPC endpoints and the NAT gateway")));
}

TEST(DatabaseCheckTest, ARefusedTokenNamesThePermission) {
  const Error refused(Errc::refused, ErrorClass::permanent,
                      "unable to accept connection, access denied", "28000");
  EXPECT_THAT(database_checked(failed_facts(refused, true, "admin")),
              ElementsAre(tells(Severity::error, "refuses the login", "dsql:DbConnectAdmin")));
  EXPECT_THAT(database_checked(failed_facts(refused, true)),
              ElementsAre(tells(Severity::error, "refuses the login", "AWS IAM GRANT")));
  EXPECT_THAT(
      database_checked(failed_facts(Error(Errc::refused, ErrorClass::permanent, "no", "28P01"))),
      ElementsAre(tells(Severity::error, "refuses the login", "DB_PASSWORD")));
}

TEST(DatabaseCheckTest, DsqlWantsToKnowWhoAnswers) {
  DatabaseFacts facts = healthy_facts();
  facts.is_dsql = true;
  facts.max_connections = 20;  // what DSQL answers, and means nothing
  EXPECT_THAT(database_checked(facts), all_well());
  facts.sslmode = "require";
  EXPECT_THAT(database_checked(facts),
              Contains(tells(Severity::note, "sslmode is require", "verify-full")));
  facts.sslmode = "prefer";
  EXPECT_THAT(database_checked(facts),
              Contains(tells(Severity::warning, "sslmode is prefer", "verify-full")));
}

TEST(DatabaseCheckTest, TheRootCertificatesAreThoseThatThisLibpqKnows) {
  DatabaseFacts facts = failed_facts(Error(Errc::connect_failed,
                                           "SSL error: certificate verify "
                                           "failed"));
  facts.root_certificates = "/etc/roots.pem";
  EXPECT_THAT(database_checked(facts),
              ElementsAre(tells(Severity::error, "TLS", "sslrootcert=/etc/roots.pem")));
}

TEST(DatabaseCheckTest, PlainTextIsAWarningUnlessItStaysOnTheMachine) {
  DatabaseFacts facts = healthy_facts();
  facts.is_encrypted = false;
  EXPECT_THAT(database_checked(facts),
              Contains(tells(Severity::warning, "not encrypted", "DB_SSLMODE")));
  facts.is_local = true;
  EXPECT_THAT(database_checked(facts), all_well());
}

TEST(DatabaseCheckTest, APoolThatDoesNotFitIsAnError) {
  DatabaseFacts facts = healthy_facts();
  facts.max_connections = 40;
  EXPECT_THAT(
      database_checked(facts),
      Contains(tells(Severity::error, "50 connections, and the server", "FOREBAY_POOL_MAX")));
  facts = healthy_facts();
  facts.role_limit = 5;
  EXPECT_THAT(database_checked(facts), Contains(tells(Severity::error, "and the role", "53300")));
  facts = healthy_facts();
  facts.database_limit = 7;
  EXPECT_THAT(database_checked(facts), Contains(tells(Severity::error, "and the database")));
}

TEST(DatabaseCheckTest, AFullServerAndItsOwnTimeoutsAreWarnings) {
  DatabaseFacts facts = healthy_facts();
  facts.sessions = 90;
  EXPECT_THAT(database_checked(facts),
              Contains(tells(Severity::warning, "90 sessions of 97", "pg_stat_activity")));
  facts = healthy_facts();
  facts.idle_session_timeout = 10s;
  EXPECT_THAT(database_checked(facts), Contains(tells(Severity::warning, "idle for 10s")));
  facts.idle_session_timeout = 10min;
  EXPECT_THAT(database_checked(facts), all_well());
}

TEST(DatabaseCheckTest, TheServersOwnTimeLimitsAreNoted) {
  DatabaseFacts facts = healthy_facts();
  facts.statement_timeout = 30s;
  facts.idle_transaction_timeout = 0s;
  const Findings findings = database_checked(facts);
  EXPECT_THAT(findings, Contains(tells(Severity::note, "statements after 30s")));
  EXPECT_THAT(findings, Not(Contains(tells(Severity::note, "transactions that do nothing"))));
}

TEST(DatabaseCheckTest, FarAwayIsNoted) {
  DatabaseFacts facts = healthy_facts();
  facts.round_trip = 120ms;
  EXPECT_THAT(database_checked(facts), Contains(tells(Severity::note, "a round trip 120ms")));
}

}  // namespace
}  // namespace forebay::test
