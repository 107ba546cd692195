#include "forebay/doctor/configuration_check.hpp"

#include "doctor/findings.hpp"
#include "support/fake_machine.hpp"

namespace forebay::test {
namespace {

using doctor::check_configuration;
using testing::Contains;
using testing::SizeIs;

ConfigurationReading reading_of(const std::string& text) {
  const FakeMachine machine;
  return read_configuration(machine, ConfigurationFile("service.yaml", text));
}

TEST(ConfigurationCheckTest, EveryProblemIsAnErrorAndNothingElseIsSaid) {
  const Findings findings =
      check_configuration(reading_of("database: {port: seventy}\npool: {max: 0}\n"));
  EXPECT_THAT(findings, SizeIs(2));
  EXPECT_THAT(findings, Contains(tells(Severity::error, "database.port", "forebay config check")));
  EXPECT_THAT(findings, Contains(tells(Severity::error, "pool.max")));
}

TEST(ConfigurationCheckTest, WarningsAreWarnings) {
  const Findings findings = check_configuration(reading_of("leases: {limit: 5}\n"));
  EXPECT_THAT(findings, Contains(tells(Severity::warning, "leases.limit")));
}

TEST(ConfigurationCheckTest, TellsWhetherReservoirModeIsOn) {
  EXPECT_THAT(check_configuration(
                  reading_of("reservoir: {enabled: true, target_ready: 20}\npool: {max: 50}\n")),
              Contains(tells(Severity::ok, "reservoir mode is on: 20 of up to 50")));
  EXPECT_THAT(check_configuration(reading_of("pool: {max: 50}\n")),
              Contains(tells(Severity::ok, "reservoir mode is off")));
  EXPECT_THAT(check_configuration(reading_of("database: {host: abc.dsql.us-east-1.on.aws}\n")),
              Contains(tells(Severity::note,
                             "100 of up to 100 connections are opened at the start and kept",
                             "DSQL_RESERVOIR_ENABLED=true")));
}

TEST(ConfigurationCheckTest, ADatabaseMayBeNamedByLibpqsVariablesToo) {
  FakeMachine machine;
  DatabaseTarget database;
  EXPECT_FALSE(doctor::names_database(database, machine));
  machine.variables["PGHOST"] = "db.example";
  EXPECT_TRUE(doctor::names_database(database, machine));
  database.url = "postgresql:///orders";
  EXPECT_TRUE(doctor::names_database(database, FakeMachine()));
}

}  // namespace
}  // namespace forebay::test
