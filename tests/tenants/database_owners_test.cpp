// Names that the application makes: two tenants that are known never have the same database.
#include "forebay/tenants/database_owners.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/sim_tenants.hpp"

namespace forebay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class DatabaseOwnersTest : public testing::Test {
 protected:
  TenantOptions options() {
    TenantOptions options = tenant_options(20, 3);
    options.max_known_tenants = 3;
    options.database_of = [this](std::string_view id) { return names_[std::string(id)]; };
    return options;
  }
  const SimTenants::Call& ask(const std::string& tenant, Duration hold = 0s) {
    const SimTenants::Call& call = sim_.call(tenant, 1s, hold);
    sim_.scheduler.run_for(20ms);
    return call;
  }

  std::map<std::string, std::string> names_;
  SimTenants sim_{options()};
};

TEST_F(DatabaseOwnersTest, TheNameIsTheApplications) {
  names_ = {{"a b", "Customers 2024"}};

  EXPECT_TRUE(ask("a b").is_served());

  EXPECT_THAT(sim_.databases.connectors, ElementsAre("Customers 2024"));
}

TEST_F(DatabaseOwnersTest, TheSecondTenantOfADatabaseIsRefused) {
  names_ = {{"a", "shared"}, {"b", "shared"}};
  ASSERT_TRUE(ask("a").is_served());

  const SimTenants::Call& second = ask("b");

  ASSERT_TRUE(second.error.has_value());
  EXPECT_EQ(second.error->code(), Errc::invalid);
  EXPECT_THAT(second.error->text(),
              HasSubstr("gives tenant \"b\" the database \"shared\", which is tenant \"a\"'s"));
  EXPECT_THAT(sim_.databases.connectors, ElementsAre("shared"));
  EXPECT_TRUE(ask("a").is_served());
}

TEST_F(DatabaseOwnersTest, ATenantMovesWhenItHasNoConnectionsLeft) {
  names_ = {{"a", "old"}, {"b", "old"}};
  ask("a", 1s);
  names_["a"] = "new";
  EXPECT_FALSE(sim_.close_tenant("a", 10ms)) << "one is lent";
  const SimTenants::Call& early = ask("a");
  ASSERT_TRUE(early.error.has_value());
  EXPECT_THAT(early.error->text(), HasSubstr("it still has connections to \"old\""));

  ASSERT_TRUE(sim_.close_tenant("a", 10s));

  EXPECT_TRUE(ask("a").is_served());
  EXPECT_TRUE(ask("b").is_served()) << "the database is nobody's any more";
  EXPECT_THAT(sim_.databases.connectors, ElementsAre("old", "new", "old"));
}

TEST_F(DatabaseOwnersTest, WhatIsForgottenIsNotChecked) {
  names_ = {{"a", "one"}, {"b", "two"}, {"c", "three"}, {"d", "four"}, {"e", "one"}};
  ask("a");
  ASSERT_TRUE(sim_.close_tenant("a", 1s));
  ask("b");
  ask("c");
  ask("d");
  ASSERT_FALSE(sim_.tenants->statistics("a").has_value());

  EXPECT_TRUE(ask("e").is_served());
}

// Whatever is claimed and released, a database has one owner at most.
TEST(DatabaseOwnersProperty, NoDatabaseHasTwoOwners) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<std::string> ids = {"a", "b", "c", "d"};
    std::vector<Tenant> tenants(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) tenants[i].id = &ids[i];
    DatabaseOwners owners;
    std::map<std::string, std::size_t> model;
    const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 4), rc::gen::inRange(0, 5)));
    for (const auto& [who, what] : steps) {
      const auto tenant = static_cast<std::size_t>(who);
      const std::string database = "d" + std::to_string(what);
      const auto forget = [&] {
        std::erase_if(model, [&](const auto& each) { return each.second == tenant; });
      };
      const auto owned = [&] {
        const std::string* const name = tenants[tenant].database;
        return name == nullptr ? std::string() : *name;
      };
      const std::string before = owned();
      if (what == 4) {
        const DatabaseOwners::Entry released = owners.release(tenants[tenant]);
        RC_ASSERT((released.empty() ? before.empty() : released.key() == before));
        forget();
        continue;
      }
      const bool is_free = !model.contains(database) || model[database] == tenant;
      DatabaseOwners::Entry entry = DatabaseOwners::entry_for(database);
      const std::optional<DatabaseConflict> conflict = owners.claim(tenants[tenant], entry);
      RC_ASSERT(!conflict == is_free);
      if (conflict) RC_ASSERT(conflict->other == ids[model[database]]);
      if (!is_free) continue;
      // What is to be destroyed comes back: the entry itself, or that of the database it had.
      if (before != database) RC_ASSERT((entry.empty() ? before.empty() : entry.key() == before));
      forget();
      model[database] = tenant;
      RC_ASSERT(*tenants[tenant].database == database);
    }
  }));
}

}  // namespace
}  // namespace forebay::test
