// The proxy's part of a configuration: routes, what they inherit, and everything that can be wrong.
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/reading.hpp"
#include "support/places.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;
using proxy::OnSessionState;
using proxy::Pooling;
using test::effective;
using test::read_texts;
using test::Variables;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

ProxyConfiguration accepted_proxy(const Variables& variables,
                                  const std::optional<std::string>& file = std::nullopt) {
  ConfigurationReading reading = read_texts(variables, file);
  EXPECT_THAT(reading.problems, IsEmpty());
  return std::move(reading.proxy);
}

ConfigurationReading read_given(const std::vector<GivenSetting>& given, const std::string& file) {
  test::FakeMachine machine;
  machine.variables = {{"DB_PASSWORD", "hunter2"}, {"FOREBAY_PROXY_QUERY_WAIT", "3s"}};
  return read_configuration(machine, ConfigurationFile("app.yaml", file), given);
}

std::string target_of(const RouteConfiguration& route) {
  return route.configuration.database.connection()->text_with_secrets();
}

std::string listening_at(const ProxyConfiguration& proxy) {
  std::string all;
  for (const StreamAddress& place : proxy.listen) all += place.text() + " ";
  return all;
}

TEST(ProxyRoutesTest, WithoutRoutesThereIsOneForEverybody) {
  const ProxyConfiguration proxy = accepted_proxy({{"FOREBAY_DATABASE_URL", "postgresql://db/x"}});

  EXPECT_EQ(listening_at(proxy), "127.0.0.1:6432 ");
  EXPECT_EQ(proxy.log_in_limit, 60s);
  ASSERT_EQ(proxy.routes.size(), 1u);
  const RouteConfiguration& route = proxy.routes.front();
  EXPECT_EQ(route.database, "") << "that of the target";
  EXPECT_EQ(route.user, "*");
  EXPECT_FALSE(route.is_named);
  EXPECT_EQ(route.rules.pooling, Pooling::transaction);
  EXPECT_EQ(route.rules.on_session_state, OnSessionState::pin);
  EXPECT_EQ(route.limits.query_wait, 10s);
  EXPECT_EQ(route.limits.query, Duration::max());
  EXPECT_EQ(route.limits.idle_in_transaction, Duration::max());
  EXPECT_EQ(target_of(route), "dbname=x host=db");
}

TEST(ProxyRoutesTest, ARouteInheritsWhatItDoesNotSay) {
  const ProxyConfiguration proxy = accepted_proxy({{"DB_PASSWORD", "secret"}}, R"(
database: {host: db, user: app, name: postgres}
pool: {max: 30, max_lifetime: 10m}
proxy:
  listen: ["[::1]:7000", /run/f/.s.PGSQL.6432]
  pooling: session
  query_wait: 5s
  log_in_limit: 10s
  routes:
    - database: temporal
    - database: orders
      user: analyst
      target: {host: replica, port: 6000, name: shop, user: reader}
      pool: {max: 4, session_settings: {search_path: a}, trusted_functions: [f, g.h]}
      reservoir: {enabled: true, target_ready: 2}
      pooling: transaction
      on_session_state: refuse
      query_limit: 1m
      idle_limit: 30s
      read_limit: off
    - target: {url: "postgresql://else@other:7/shop"}
)");

  EXPECT_EQ(listening_at(proxy), "[::1]:7000 unix:/run/f/.s.PGSQL.6432 ");
  EXPECT_EQ(proxy.log_in_limit, 10s);
  ASSERT_EQ(proxy.routes.size(), 3u);
  const RouteConfiguration& plain = proxy.routes[0];
  EXPECT_EQ(plain.path, "proxy.routes[0]");
  EXPECT_EQ(plain.database, "temporal");
  EXPECT_EQ(plain.user, "*");
  EXPECT_EQ(target_of(plain), "host=db user=app password=secret dbname=temporal");
  EXPECT_EQ(plain.configuration.pool.size.max, 30);
  EXPECT_EQ(plain.configuration.pool.name, "temporal");
  EXPECT_EQ(plain.rules.pooling, Pooling::session);
  EXPECT_EQ(plain.limits.query_wait, 5s);

  const RouteConfiguration& own = proxy.routes[1];
  EXPECT_EQ(own.user, "analyst");
  EXPECT_EQ(target_of(own), "host=replica port=6000 user=reader password=secret dbname=shop");
  EXPECT_EQ(own.configuration.pool.name, "orders/analyst");
  EXPECT_EQ(own.configuration.pool.size.max, 4);
  EXPECT_EQ(own.configuration.pool.size.target_ready, 2);
  EXPECT_EQ(own.configuration.pool.supply, Supply::reservoir);
  EXPECT_EQ(own.configuration.pool.session_settings.at("search_path"), "a");
  EXPECT_THAT(own.configuration.pool.session.trusted_functions, ElementsAre("f", "g.h"));
  EXPECT_EQ(own.rules.pooling, Pooling::transaction);
  EXPECT_EQ(own.rules.on_session_state, OnSessionState::refuse);
  EXPECT_EQ(own.limits.query, 1min);
  EXPECT_EQ(own.limits.idle_in_transaction, 30s);
  EXPECT_EQ(own.limits.client_write, Duration::max());

  const RouteConfiguration& other = proxy.routes[2];
  EXPECT_EQ(other.database, "*");
  EXPECT_EQ(target_of(other), "user=else dbname=shop host=other port=7")
      << "a URL says all of its target";
  EXPECT_EQ(other.configuration.pool.name, "*");
}

TEST(ProxyRoutesTest, ARouteCountsMoreThanVariablesAndTheseMoreThanTheRestOfTheFile) {
  const std::string file =
      "pool: {max: 5}\nproxy:\n  routes: [{database: a}, {database: b, "
      "pool: {max: 7}}]\n";
  const ProxyConfiguration proxy = accepted_proxy({{"FOREBAY_POOL_MAX", "6"}}, file);

  EXPECT_EQ(proxy.routes[0].configuration.pool.size.max, 6);
  EXPECT_EQ(proxy.routes[1].configuration.pool.size.max, 7);
}

TEST(ProxyRoutesTest, ACommandLineCountsMoreThanFileAndEnvironment) {
  const ConfigurationReading read =
      read_given({{"--database", "database.url", "postgresql://u@h/x"},
                  {"--listen", "proxy.listen", "7000, /tmp/s"},
                  {"--query-wait", "proxy.query_wait", "1s"}},
                 "database: {host: db, sslmode: require}\nproxy: {listen: 9999, pooling: session}");

  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_EQ(listening_at(read.proxy), "127.0.0.1:7000 unix:/tmp/s ");
  const RouteConfiguration& route = read.proxy.routes.front();
  EXPECT_EQ(target_of(route), "user=u dbname=x host=h") << "nor the password of the environment";
  EXPECT_EQ(route.limits.query_wait, 1s);
  EXPECT_EQ(route.rules.pooling, Pooling::session);
  EXPECT_EQ(effective(read.configuration, "proxy.query_wait").source, "--query-wait");
  EXPECT_THAT(read_given({{"--pooling", "proxy.pooling", "statement"},
                          {"--query-wait", "proxy.query_wait", "0s"}},
                         "")
                  .problems,
              ElementsAre("--pooling: \"statement\" is unknown; known here: transaction, session",
                          StartsWith("--query-wait is 0s: it must be more than zero")));
}

TEST(ProxyRoutesTest, AServerOfAuroraDsqlBringsItsDefaultsAndTokens) {
  const ProxyConfiguration proxy = accepted_proxy({}, R"(
database: {host: abc.dsql.eu-west-1.on.aws, user: app}
leases: {enabled: true, table: connections}
proxy:
  routes:
    - {database: temporal, target: {name: postgres}}
    - {database: plain, target: {url: "postgresql://u@db/x"}, leases: {enabled: false}}
)");

  ASSERT_TRUE(proxy.routes[0].configuration.cluster.has_value());
  EXPECT_EQ(proxy.routes[0].configuration.cluster->user, "app");
  EXPECT_EQ(proxy.routes[0].configuration.cluster->lease_table, "connections");
  EXPECT_EQ(proxy.routes[0].configuration.completed().pool.size.max, 100);
  EXPECT_FALSE(proxy.routes[1].configuration.cluster.has_value());
  EXPECT_EQ(proxy.routes[1].configuration.completed().pool.size.max, 10);
}

struct Wrong {
  std::string file;
  std::vector<std::string> told;
};

TEST(ProxyRoutesTest, EverythingThatIsWrongIsToldAtOnceWithItsPlace) {
  const std::vector<Wrong> files = {
      {"proxy: {poolin: session}",
       {"app.yaml:1: proxy.poolin: unknown key; did you mean pooling?"}},
      {"proxy:\n  pooling: statement", {"app.yaml:2: proxy.pooling: \"statement\" is unknown"}},
      {"proxy: {listen: 0.0.0.0:6432}",
       {"app.yaml:1: proxy.listen: \"0.0.0.0:6432\" is open to other machines: clients are not"}},
      {"proxy: {listen: [6432, 127.0.0.1:6432]}",
       {"app.yaml:1: proxy.listen: \"127.0.0.1:6432\" is given twice; keep one"}},
      {"proxy: {listen: [\"a,b\"]}",
       {"app.yaml:1: proxy.listen[0]: has a comma: write each of the list by itself"}},
      {"proxy: {listen: 99999}", {"app.yaml:1: proxy.listen: \"99999\" is no place to listen at"}},
      {"proxy: {listen: \"::1:6432\"}", {"is no place to listen at; write a port (6432)"}},
      {"proxy: {query_wait: -1s}",
       {"app.yaml:1: proxy.query_wait is -1s: it must be more than zero and at most 365 days, or "
        "off"}},
      {"proxy: {routes: []}", {"app.yaml:1: proxy.routes: there must be one at least"}},
      {"proxy: {routes: 7}", {"app.yaml:1: proxy.routes: a text (not shown) stands where a list"}},
      {"proxy:\n  routes:\n    - {databse: x}",
       {"app.yaml:3: proxy.routes[0].databse: unknown key; did you mean database?"}},
      {"proxy:\n  routes:\n    - {listen: 7}", {"proxy.routes[0].listen: unknown key"}},
      {"proxy:\n  routes:\n    - {log: {level: info}}", {"proxy.routes[0].log: unknown key"}},
      {"proxy:\n  routes:\n    - {database: 'shop_*'}",
       {"app.yaml:3: proxy.routes[0].database: must be the name of a database, or * alone"}},
      {"proxy:\n  routes:\n    - {user: ''}", {"proxy.routes[0].user: must be the name of a user"}},
      {"proxy:\n  routes:\n    - database: a\n      pool: {max: 0}\n    - database: b",
       {"app.yaml:4: proxy.routes[0].pool.max is 0: it must be from 1 to 1000000"}},
      {"proxy:\n  routes:\n    - database: a\n      target: {prot: 7, port: x}",
       {"app.yaml:4: proxy.routes[0].target.prot: unknown key; did you mean port?",
        "app.yaml:4: proxy.routes[0].target.port: the value (not shown) stands where whole"}},
      {"pool: {max: 0}\nproxy:\n  routes: [{database: a}, {database: b}]",
       {"app.yaml:1: pool.max is 0: it must be from 1 to 1000000"}},
      {"proxy:\n  routes:\n    - database: a\n      leases: {enabled: true}\n      target: {host: "
       "h}\n"
       "    - database: b",
       {"app.yaml:3: proxy.routes[0]: leases.table (default) is not set"}},
      {"proxy:\n  routes:\n    - database: a\n    - user: u\n    - database: a\n      user: '*'",
       {"app.yaml:5: proxy.routes[2] is for the same clients as proxy.routes[0], database \"a\" "
        "and user \"*\""}},
      {"proxy:\n  routes:\n    - {database: a, pool: {name: p}}\n    - {database: b, pool: {name: "
       "p}}",
       {"app.yaml:4: proxy.routes[1]: its pool is called \"p\", and so is that of "
        "proxy.routes[0]"}},
      {"database: {host: h}\nproxy:\n  routes:\n    - {database: a, pool: {connect_rate: 5}}\n"
       "    - {database: b}\n    - {database: c, target: {host: i}}",
       {"app.yaml:5: proxy.routes[1]: pool.connect_rate is not set, and \"5\" in proxy.routes[0], "
        "which leads to the same server: it must be the same"}},
      {"database: {host: h}\nleases: {enabled: true, table: connections}\nproxy:\n  routes:\n"
       "    - {database: a}\n    - {database: b, leases: {limit: 7}}",
       {"app.yaml:6: proxy.routes[1]: leases.limit is \"7\", and \"10000\" in proxy.routes[0]"}},
      {"proxy:\n  query_limit: soon\n  routes:\n    - {pooling: none}\n    - {query_wait: x}\n",
       {"app.yaml:2: proxy.query_limit: \"soon\" is not a time",
        "app.yaml:4: proxy.routes[0].pooling: \"none\" is unknown",
        "app.yaml:5: proxy.routes[1].query_wait: \"x\" is not a time",
        "app.yaml:5: proxy.routes[1] is for the same clients"}},
  };
  for (const Wrong& wrong : files) {
    const std::vector<std::string> problems = read_texts({}, wrong.file).problems;
    EXPECT_EQ(problems.size(), wrong.told.size()) << wrong.file << testing::PrintToString(problems);
    for (const std::string& told : wrong.told)
      EXPECT_THAT(problems, testing::Contains(HasSubstr(told))) << wrong.file;
  }
}

TEST(ProxyRoutesTest, ALimitOfAllDatabasesHoldsForAllRoutesToAServer) {
  const auto problems_with = [](const std::string& max_connections, const std::string& route) {
    return read_texts({{"DB_MAX_CONNECTIONS", max_connections}},
                      "database: {host: h}\nproxy:\n  routes:\n"
                      "    - {database: a, pool: {max: 30}}\n    - {database: b" +
                          route + "}\n")
        .problems;
  };
  EXPECT_THAT(problems_with("50", ""),
              ElementsAre("DB_MAX_CONNECTIONS is 50: the routes to one server may have 80 "
                          "connections together (proxy.routes[0] 30, proxy.routes[1] 50): give "
                          "them a smaller pool.max"));
  EXPECT_THAT(problems_with("50", ", pool: {max: 20}"), IsEmpty());
  EXPECT_THAT(problems_with("50", ", target: {host: i}"), IsEmpty()) << "another server";
}

TEST(ProxyRoutesTest, ThereAreNotTooMany) {
  std::string file = "proxy:\n  routes:\n";
  for (int i = 0; i < 101; ++i) file += "    - {database: d" + std::to_string(i) + "}\n";
  EXPECT_THAT(read_texts({}, file).problems,
              ElementsAre("app.yaml:2: proxy.routes: 101 are too many: there may be 100, for each "
                          "has a pool of its own"));
}

TEST(ProxyRoutesTest, PasswordsAreNotShown) {
  for (const std::string target :
       {"{url: 'postgresql://u:hunt/er2@h/x'}", "{host: 'app:hunter2@db'}", "{port: hunter2}",
        "{password: [hunter2]}", "postgresql://u:hunter2@h/x",
        "{name: 'dbname=x password=hunter2'}", "{sslmode: hunter2}"}) {
    const auto problems =
        read_texts({}, "proxy:\n  routes:\n    - {database: a, target: " + target + "}").problems;
    EXPECT_FALSE(problems.empty()) << target;
    for (const std::string& problem : problems)
      EXPECT_THAT(problem, AllOf(Not(HasSubstr("hunt")), Not(HasSubstr("er2")))) << target;
  }
  const ConfigurationReading read = read_texts(
      {}, "proxy:\n  routes:\n    - {target: {url: 'postgresql://u:hunter2@h/x', password: p2}}");
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_EQ(effective(read.configuration, "proxy.routes[0].target.password").value, "***");
  EXPECT_THAT(effective(read.configuration, "proxy.routes[0].target.url").value,
              Not(HasSubstr("hunter2")));
}

TEST(ProxyRoutesTest, WhatARouteSaysIsShownWithItsPlace) {
  const ConfigurationReading read = read_texts(
      {}, "proxy:\n  routes:\n    - database: a\n      pool:\n        max: 4\n    - user: u\n");

  EXPECT_THAT(read.problems, IsEmpty());
  const auto expect = [&](const std::string& key, const std::string& value,
                          const std::string& source) {
    const EffectiveSetting shown = effective(read.configuration, "proxy.routes" + key);
    EXPECT_EQ(shown.value, value) << key;
    EXPECT_EQ(shown.source, source) << key;
  };
  expect("[0].database", "a", "app.yaml:3");
  expect("[0].user", "*", "default");
  expect("[0].pool.max", "4", "app.yaml:5");
  expect("[0].target.name", "a", "as proxy.routes[0].database");
  expect("[1].database", "*", "default");
  expect("[1].user", "u", "app.yaml:6");
}

// Every block of YAML in the page that is a whole configuration works.
TEST(ProxyRoutesTest, TheExamplesOfThePageAreRight) {
  std::ifstream file(test::source_file("docs/proxy.md"));
  ASSERT_TRUE(file);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const std::string fence = "```yaml\n";
  int examples = 0;
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    const std::size_t end = page.find("```", at);
    const std::string example = page.substr(at, end - at);
    const ConfigurationReading read = read_texts({}, example);
    EXPECT_THAT(read.problems, IsEmpty()) << example;
    EXPECT_THAT(read.configuration.warnings, IsEmpty()) << example;
    ++examples;
    at = end + 1;
  }
  EXPECT_GE(examples, 3);
}

}  // namespace
}  // namespace forebay
