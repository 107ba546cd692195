// Which clients a route is for, and what those hear for whom there is none.
#include "forebay/proxy/routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay::proxy {
namespace {

using testing::HasSubstr;

RouteOptions route_for(std::string database, std::string user) {
  RouteOptions options;
  options.database = std::move(database);
  options.user = std::move(user);
  return options;
}

TEST(RoutesTest, WhatSaysMostFitsBest) {
  const RouteOptions both = route_for("orders", "ann");
  const RouteOptions database = route_for("orders", "*");
  const RouteOptions user = route_for("*", "ann");
  const RouteOptions any = route_for("*", "*");

  const auto order = [](const RouteOptions& more, const RouteOptions& less) {
    const std::optional<int> first = fit(more, "orders", "ann");
    const std::optional<int> second = fit(less, "orders", "ann");
    return first && second && *first > *second;
  };
  EXPECT_TRUE(order(both, database));
  EXPECT_TRUE(order(database, user));
  EXPECT_TRUE(order(user, any));
  EXPECT_EQ(fit(both, "orders", "bob"), std::nullopt);
  EXPECT_EQ(fit(database, "Orders", "ann"), std::nullopt) << "names are taken as they are";
  EXPECT_EQ(fit(user, "x", "bob"), std::nullopt);
  EXPECT_TRUE(fit(any, "x", "bob").has_value());
}

TEST(RoutesTest, WhoIsNotServedHearsWhatIs) {
  const RouteOptions orders = route_for("orders", "*");
  const RouteOptions mine = route_for("shop", "ann");
  const Error no_database = no_route({&orders, &mine, &mine}, "billing", "bob");
  EXPECT_EQ(no_database.sqlstate(), "3D000");
  EXPECT_EQ(no_database.text(),
            "database \"billing\" is not served by this proxy; served: \"orders\", \"shop\"");
  EXPECT_THAT(std::string(no_database.hint()), HasSubstr("proxy.routes"));

  const Error no_name = no_route({&orders}, "bob", "bob");
  EXPECT_EQ(no_name.sqlstate(), "3D000");
  EXPECT_THAT(std::string(no_name.hint()), HasSubstr("psql -d NAME"));

  const Error no_user = no_route({&orders, &mine}, "shop", "bob");
  EXPECT_EQ(no_user.sqlstate(), "28000");
  EXPECT_EQ(no_user.text(), "user \"bob\" is not served in database \"shop\" by this proxy");
}

TEST(RoutesTest, AMistypedNameIsNotAnsweredWithAPageOfNames) {
  std::vector<RouteOptions> many;
  for (int i = 0; i < 13; ++i) many.push_back(route_for("d" + std::to_string(i), "*"));
  std::vector<const RouteOptions*> all;
  for (const RouteOptions& each : many) all.push_back(&each);

  EXPECT_THAT(no_route(all, "x", "y").text(), testing::EndsWith("\"d9\" and 3 more"));
}

}  // namespace
}  // namespace forebay::proxy
