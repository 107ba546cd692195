// Several routes of one proxy: each client is served where its route leads, and nowhere else.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "proxy_real/proxy_fixture.hpp"

namespace forebay::proxy {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ProxyRoutesTest : public ProxyTest {
 protected:
  static void SetUpTestSuite() {
    ProxyTest::SetUpTestSuite();
    Client superuser(server_->superuser_url());
    for (const char* const sql :
         {"CREATE DATABASE orders", "CREATE DATABASE reports", "CREATE ROLE analyst LOGIN"})
      ASSERT_TRUE(superuser.query(sql).is_ok()) << sql;
  }

  std::string url_of(const std::string& user, const std::string& database) const {
    return fmt::format("host=127.0.0.1 port={} user={} dbname={} sslmode=disable", proxy_->port(),
                       user, database);
  }
  static std::string here(Client& client) {
    return client.query("SELECT current_user || '@' || current_database()").value;
  }
  PoolStatistics pool_of(std::string_view route) {
    for (const auto& each : proxy_->proxy().routes().all())
      if (each->pool().name() == route) return each->pool().statistics();
    ADD_FAILURE() << route;
    return {};
  }
  static RouteConfiguration named(RouteConfiguration route, const std::string& name) {
    route.configuration.pool.name = name;
    route.is_named = true;
    return route;
  }
};

TEST_F(ProxyRoutesTest, EachClientIsServedWhereItsRouteLeads) {
  RouteConfiguration analysts = named(route_to("reports", 1), "analysts");
  analysts.user = "analyst";
  analysts.configuration.database.user = "analyst";
  RouteConfiguration others = named(route_to("postgres", 1), "others");
  others.database = "*";
  others.user = "guest";
  open({named(route_to("orders", 2), "orders"), named(route_to("reports", 1), "reports"), analysts,
        others});

  Client orders(url_of("whoever", "orders")), reports(url_of("app", "reports")),
      analyst(url_of("analyst", "reports")), guest(url_of("guest", "nowhere"));
  EXPECT_EQ(here(orders), "app@orders");
  EXPECT_EQ(here(reports), "app@reports");
  EXPECT_EQ(here(analyst), "analyst@reports");
  EXPECT_EQ(here(guest), "app@postgres");

  // One pool each: who uses his up takes nothing from the others.
  ASSERT_TRUE(reports.query("BEGIN").is_ok());
  EXPECT_EQ(pool_of("reports").lent, 1);
  EXPECT_EQ(pool_of("orders").lent, 0);
  EXPECT_EQ(here(orders), "app@orders");
  EXPECT_EQ(here(analyst), "analyst@reports");
  ASSERT_TRUE(reports.query("COMMIT").is_ok());
  const ProxyStatistics now = proxy_->look(Instant()).proxy;
  EXPECT_EQ(now.strangers.clients, 0);
  for (const RouteStatistics& route : now.routes) EXPECT_EQ(route.clients.clients, 1) << route.name;
}

TEST_F(ProxyRoutesTest, WhoHasNoRouteHearsWhy) {
  RouteConfiguration mine = named(route_to("reports", 1), "mine");
  mine.user = "app";
  open({named(route_to("orders", 1), "orders"), mine});

  Client unknown(url_of("app", "billing"));
  EXPECT_THAT(unknown.problem(),
              AllOf(HasSubstr("FATAL:  database \"billing\" is not served by this proxy; served: "
                              "\"orders\", \"reports\""),
                    HasSubstr("HINT:  Ask for one of these")));
  // As psql does without a name.
  Client nameless(url_of("bob", "bob"));
  EXPECT_THAT(nameless.problem(), HasSubstr("name one, as in psql -d NAME"));
  Client stranger(url_of("bob", "reports"));
  EXPECT_THAT(stranger.problem(),
              HasSubstr("user \"bob\" is not served in database \"reports\" by this proxy"));
  EXPECT_TRUE(eventually([&] { return counters().clients == 0; }));
  const ProxyStatistics now = proxy_->look(Instant()).proxy;
  EXPECT_EQ(now.strangers.refused, 3u);
  EXPECT_EQ(now.clients().logins, 0u);
}

TEST_F(ProxyRoutesTest, RulesAndLimitsAreThoseOfTheRoute) {
  RouteConfiguration strict = named(route_to("orders", 1), "orders");
  strict.rules.on_session_state = OnSessionState::refuse;
  RouteConfiguration pinning = named(route_to("reports", 1), "reports");
  pinning.limits.query = std::chrono::milliseconds(200);
  open({strict, pinning});

  Client orders(url_of("app", "orders")), reports(url_of("app", "reports"));
  EXPECT_EQ(orders.query("LISTEN news").sqlstate, "0A000");
  EXPECT_TRUE(reports.query("LISTEN news").is_ok());
  EXPECT_TRUE(reports.query("CREATE TEMPORARY TABLE t (n int)").is_ok());
  EXPECT_EQ(reports.query("SELECT pg_sleep(60)").sqlstate, "57014");
  EXPECT_EQ(orders.query("SELECT 'slow' FROM pg_sleep(0.3)").value, "slow");

  const ProxyStatistics now = proxy_->look(Instant()).proxy;
  EXPECT_EQ(now.routes[0].sessions.refusals, 1u);
  EXPECT_EQ(now.routes[0].pinned, 0);
  EXPECT_EQ(now.routes[1].pinned, 1);
  EXPECT_EQ(now.routes[1].sessions.pins, 1u);
  const auto pins = [&](PinKind kind) {
    return now.routes[1].sessions.pins_by_kind[static_cast<std::size_t>(kind)];
  };
  EXPECT_EQ(pins(PinKind::listen), 1u);
  EXPECT_EQ(pins(PinKind::temporary), 1u);
  EXPECT_EQ(pins(PinKind::lock), 0u);
  EXPECT_EQ(now.routes[1].clients.cancels, 1u);
}

// Ten connects, of which two are free: each pool for itself would have three to wait for.
TEST_F(ProxyRoutesTest, RoutesToOneServerShareItsRate) {
  std::vector<RouteConfiguration> routes;
  for (const char* const database : {"orders", "reports"}) {
    RouteConfiguration route = named(route_to(database, 5), database);
    route.configuration.pool.size.keep_open = 5;
    route.configuration.pool.connect_rate = 20;
    route.configuration.pool.connect_burst = 2;
    routes.push_back(route);
  }
  const auto begun = std::chrono::steady_clock::now();
  open(routes);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(390));
  EXPECT_EQ(pool_of("orders").open() + pool_of("reports").open(), 10);
}

TEST_F(ProxyRoutesTest, ARouteThatCannotWorkKeepsTheProxyFromStarting) {
  RouteConfiguration nowhere = named(route_to("not_there", 1), "nowhere");
  RouteConfiguration wrong = route_to("orders", 0);
  wrong.path = "proxy.routes[1]";
  RouteConfiguration promise = route_to("reports", 1);
  promise.path = "proxy.routes[2]";
  promise.configuration.database.url = "host=db sslcrl=/x user=a";
  const auto refusal = [&](const std::vector<RouteConfiguration>& routes) {
    ProxyConfiguration configuration;
    configuration.routes = routes;
    const auto opened = cli::ServeProxy::open(*runtime_, configuration);
    return opened ? std::string("it works") : opened.error().text();
  };

  EXPECT_THAT(refusal({named(route_to("orders", 1), "orders"), nowhere, nowhere}),
              AllOf(HasSubstr("route nowhere: "), HasSubstr("\"not_there\" does not exist\n")));
  EXPECT_THAT(refusal({route_to("orders", 1), wrong, promise}),
              AllOf(HasSubstr("proxy.routes[1]: "), HasSubstr("size.max is 0"),
                    HasSubstr("\nproxy.routes[2]: connection string: sslcrl cannot be kept")));
}

}  // namespace
}  // namespace forebay::proxy
