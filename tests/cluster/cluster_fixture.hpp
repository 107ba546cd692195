// Real processes that share one limit and one rate: pools on PostgreSQL, coordination on the
// stand-in's DynamoDB or, for one run of each promise, on DynamoDB Local. Whatever is believed,
// PostgreSQL has the last word on how many connections there are, and its log on when they came.
#pragma once

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cluster/member_processes.hpp"
#include "forebay/embedded/postgres_server.hpp"
#include "forebay/forebay.hpp"
#include "support/lease_counter.hpp"
#include "support/load_time.hpp"
#include "support/places.hpp"
#include "support/standin_dynamodb.hpp"

namespace forebay::test {

inline constexpr const char* kMemberEndpoint = "test.example";

// A connection that PostgreSQL has let in.
struct Arrival {
  double at = 0;  // seconds
  std::string member;
};

// By how many the most crowded stretch of any length passes rate * t + extra; not above 0: never.
inline double worst_excess(const std::vector<Arrival>& some, double rate, double extra) {
  double worst = -extra;
  for (std::size_t i = 0; i < some.size(); ++i) {
    for (std::size_t j = i; j < some.size(); ++j) {
      const double time = some[j].at - some[i].at;
      worst = std::max(worst, static_cast<double>(j - i + 1) - rate * time - extra);
    }
  }
  return worst;
}

class ClusterTest : public testing::Test, protected MemberProcesses {
 protected:
  // PostgreSQL lets nobody in beyond the limit, and says so in its log.
  explicit ClusterTest(int limit, DynamoDbService& dynamodb = StandinDynamoDb::shared(),
                       const std::string& authentication = "trust")
      : world_(dynamodb) {
    embedded::PostgresServerOptions options;
    options.authentication = authentication;
    options.max_connections = limit + 30;
    options.settings = {{"log_connections", "on"}, {"log_line_prefix", "%n "}};
    auto launched = embedded::PostgresServer::launch(options);
    FOREBAY_CHECK(launched.has_value(), launched.error().text());
    server_ = std::move(*launched);
    PoolOptions observer;
    observer.size.max = 1;
    auto opened = postgres::PostgresPool::open(world_.runtime, server_->superuser_url(), observer);
    FOREBAY_CHECK(opened.has_value(), opened.error().text());
    observer_ = std::move(*opened);
    ask(fmt::format("CREATE ROLE app LOGIN PASSWORD 'hunter2Password' CONNECTION LIMIT {}", limit));
  }
  ~ClusterTest() override { kill_all(); }

  postgres::QueryResult ask(const std::string& sql, const postgres::Parameters& values = {}) {
    auto session = observer_->acquire_blocking(10s);
    FOREBAY_CHECK(session.has_value(), session.error().text());
    auto rows = (*session)->exec_blocking(sql, values, 10s);
    FOREBAY_CHECK(rows.has_value(), rows.error().text());
    return std::move(*rows);
  }

  // Further words overrule earlier ones of the same name.
  void start(const std::string& member, const Words& more) {
    Words words = {
        built_file("tests/forebay_cluster_member"), "postgres=" + server_->url("app", "postgres"),
        "dynamodb=" + world_.server.url(),          "table=" + world_.table,
        std::string("endpoint=") + kMemberEndpoint, "member=" + member};
    words.insert(words.end(), more.begin(), more.end());
    start_process(member, std::move(words), variables_);
  }

  // As PostgreSQL counts them, of all members, or of one.
  int sessions(const std::string& pattern = "member-%") {
    const auto rows =
        ask("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE $1", {pattern});
    const int count = std::stoi(std::string(rows.value(0, 0).value_or("0")));
    most_ = std::max(most_, count);
    return count;
  }
  std::int64_t counter() {
    return lease_counter(world_.runtime, world_.client, world_.table, kMemberEndpoint);
  }
  // What all leases in the table are for.
  std::int64_t leased() {
    const auto items = world_.run(world_.client.scan(
        world_.table, std::string("dsqllease#") + kMemberEndpoint + "#", world_.soon()));
    FOREBAY_CHECK(items.has_value(), items.error().text());
    std::int64_t sum = 0;
    for (const aws::Item& item : *items) sum += aws::integer_at(item, "connections").value_or(0);
    return sum;
  }
  // How often PostgreSQL had to refuse a connection because there were too many.
  std::size_t refused() const { return logged("too many connections"); }
  std::size_t connects_received() const { return logged("connection received"); }
  std::size_t logged(std::string_view words) const {
    const std::string log = server_->log_text();
    std::size_t count = 0;
    for (std::size_t at = 0; (at = log.find(words, at)) != std::string::npos; ++at) ++count;
    return count;
  }
  std::vector<Arrival> arrivals() const {
    // Not by a regular expression: this is asked for again and again, of long logs.
    static constexpr std::string_view kName = " application_name=";
    std::vector<Arrival> found;
    std::istringstream log(server_->log_text());
    for (std::string line; std::getline(log, line);) {
      const std::size_t at = line.find(" LOG:  connection authorized: ");
      const std::size_t name = at == std::string::npos ? at : line.find(kName, at);
      if (name == std::string::npos) continue;
      std::string member = line.substr(name + kName.size());
      member.resize(std::min(member.size(), member.find(' ')));
      if (member.starts_with("member-")) found.push_back({std::stod(line), std::move(member)});
    }
    return found;
  }

  Instant now() { return world_.runtime.scheduler().now(); }
  // Looks again and again until it is so.
  template <class Condition>
  bool becomes(Duration limit, Condition condition) {
    const Instant deadline = deadline_after(now(), limit);
    while (now() < deadline) {
      if (condition()) return true;
      embedded::pause(10ms);
    }
    return false;
  }
  // Goes on looking for so long, whatever there is to see.
  void watch(Duration time) {
    becomes(time, [this] { return sessions() < 0; });
  }

  DynamoClientWorld world_;
  std::unique_ptr<embedded::PostgresServer> server_;
  std::unique_ptr<postgres::PostgresPool> observer_;
  Words variables_;  // of the members
  int most_ = 0;
};

inline double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace forebay::test
