#include "forebay/doctor/table_check.hpp"

#include "doctor/findings.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using doctor::check_table;
using doctor::TableFacts;
using testing::Contains;
using testing::ElementsAre;
using testing::SizeIs;

TableFacts table_facts() {
  TableFacts facts("connections", "leases");
  facts.state = aws::TableState{true, true, true, "pk", "PAY_PER_REQUEST"};
  facts.ttl = aws::TtlState{true, "ttl_epoch"};
  facts.latency = 8ms;
  return facts;
}

Findings table_checked(const TableFacts& facts) { return check_table(facts, 5s); }

TEST(TableCheckTest, AHealthyTable) {
  EXPECT_THAT(table_checked(table_facts()), all_well());
  EXPECT_THAT(table_checked(table_facts()),
              Contains(tells(Severity::ok, "may be read and written")));
}

TEST(TableCheckTest, AMissingTableNamesTheCommandThatMakesIt) {
  TableFacts missing("connections", "leases, rate");
  missing.state = aws::TableState{};
  EXPECT_THAT(table_checked(missing),
              ElementsAre(tells(Severity::error, "(leases, rate) does not exist",
                                "forebay leases setup --table connections")));
}

TEST(TableCheckTest, AnotherKeyAnotherTable) {
  TableFacts other = table_facts();
  other.state->has_right_key = false;
  other.state->key = "id (N)";
  EXPECT_THAT(table_checked(other), ElementsAre(tells(Severity::error, "has the key id (N)")));
}

TEST(TableCheckTest, TtlThatIsOffOrElsewhereIsAWarning) {
  TableFacts off = table_facts();
  off.ttl->is_enabled = false;
  EXPECT_THAT(table_checked(off),
              Contains(tells(Severity::warning, "TTL of table connections is not on",
                             "enable TTL on ttl_epoch")));
  TableFacts elsewhere = table_facts();
  elsewhere.ttl->attribute = "expires";
  EXPECT_THAT(table_checked(elsewhere),
              Contains(tells(Severity::warning, "is not on for ttl_epoch")));
}

TEST(TableCheckTest, ProvisionedCapacityIsNoted) {
  TableFacts provisioned = table_facts();
  provisioned.state->billing_mode = "PROVISIONED";
  EXPECT_THAT(table_checked(provisioned),
              Contains(tells(Severity::note, "provisioned capacity", "on-demand billing")));
}

TEST(TableCheckTest, AMissingPermissionIsToldOnceWithItsAction) {
  TableFacts refused = table_facts();
  const Error error(Errc::refused, "AWS does not allow dynamodb:UpdateItem on table connections");
  refused.refusals = {error, error};
  EXPECT_THAT(table_checked(refused),
              Contains(tells(Severity::error, "dynamodb:UpdateItem", "dynamodb:GetItem")).Times(1));
}

TEST(TableCheckTest, ATableThatIsBusyIsNoMatterOfRights) {
  TableFacts busy = table_facts();
  busy.refusals = {Error(Errc::timed_out, "the scan took too long")};
  EXPECT_THAT(table_checked(busy),
              Contains(tells(Severity::warning, "the scan took too long", "throttling")));
}

TEST(TableCheckTest, TheRightToDescribeIsNotNeeded) {
  TableFacts undescribed = table_facts();
  undescribed.state.reset();
  undescribed.ttl.reset();
  undescribed.state_failure = Error(Errc::refused, "AWS does not allow dynamodb:DescribeTable");
  EXPECT_THAT(table_checked(undescribed), all_well());
  EXPECT_THAT(table_checked(undescribed), Contains(tells(Severity::note, "DescribeTable")));
}

TEST(TableCheckTest, AStoreThatIsAwayIsToldOnce) {
  TableFacts away("connections", "leases");
  away.state_failure = away.read_failure = Error(Errc::connect_failed, "DynamoDB is away");
  EXPECT_THAT(table_checked(away),
              ElementsAre(tells(Severity::error, "DynamoDB is away", "lease_acquire")));
}

TEST(TableCheckTest, ASlowTableIsNotedAndAVerySlowOneAWarning) {
  TableFacts slow = table_facts();
  slow.latency = 400ms;
  EXPECT_THAT(table_checked(slow), Contains(tells(Severity::note, "answers in 400ms")));
  slow.latency = 3s;
  EXPECT_THAT(table_checked(slow), Contains(tells(Severity::warning, "answers in 3s")));
}

TEST(TableCheckTest, TablesOfSeveralPurposesAreLookedAtOnce) {
  const auto tables = doctor::tables_of("a", "b", "a");
  ASSERT_THAT(tables, SizeIs(2));
  EXPECT_EQ(tables[0].purpose, "leases, ids");
  EXPECT_EQ(tables[1].purpose, "rate");
}

}  // namespace
}  // namespace forebay::test
