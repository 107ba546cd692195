// The example of a fleet as it is shipped: several processes with the variables of local.env, on a
// PostgreSQL that has their tokens judged, and on the stand-in's DynamoDB.
#include <fstream>
#include <regex>

#include "cluster/cluster_fixture.hpp"
#include "config/reading.hpp"
#include "forebay/aws/credentials/iso_time.hpp"
#include "forebay/aws/signing/dsql_token.hpp"
#include "support/places.hpp"
#include "support/token_directory.hpp"

namespace forebay::test {
namespace {

constexpr int kFleetLimit = 12;  // as local.env has it
constexpr int kFleetRate = 5;    // the same

Variables variables_of(const std::string& file) {
  std::ifstream lines(test::source_file("examples/fleet/" + file));
  EXPECT_TRUE(lines) << file;
  Variables variables;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (!line.starts_with('#') && equals != std::string::npos)
      variables[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return variables;
}

// As Aurora DSQL does: a token is right if it is what its signer would have made at its time.
bool is_token_of(const std::string& user, const std::string& token) {
  static const std::regex date("X-Amz-Date=(\\d{4})(\\d\\d)(\\d\\dT\\d\\d)(\\d\\d)(\\d\\dZ)");
  std::smatch match;
  if (!std::regex_search(token, match, date)) return false;
  const auto at = aws::parse_iso_time(fmt::format("{}-{}-{}:{}:{}", match[1].str(), match[2].str(),
                                                  match[3].str(), match[4].str(), match[5].str()));
  const aws::DsqlTokenRequest request{.endpoint = "127.0.0.1", .region = "eu-west-1", .user = user};
  return at && token == aws::sign_dsql_token(request, aws::Credentials("local", "local"), *at);
}

// PostgreSQL is told of it when it is started.
struct WithDirectory {
  TokenDirectory directory{is_token_of};
};

class FleetTest : private WithDirectory, public ClusterTest {
 protected:
  FleetTest()
      : ClusterTest(kFleetLimit, StandinDynamoDb::shared(), WithDirectory::directory.method()) {
    ask(fmt::format("CREATE ROLE fleet LOGIN CONNECTION LIMIT {}", kFleetLimit));
    variables_of_fleet_["DB_PORT"] = std::to_string(server_->port());
    variables_of_fleet_["AWS_ENDPOINT_URL_DYNAMODB"] = world_.server.url();
    variables_of_fleet_["DSQL_DISTRIBUTED_CONN_LEASE_TABLE"] = world_.table;
    variables_of_fleet_["DSQL_DISTRIBUTED_RATE_LIMITER_TABLE"] = world_.table;
  }

  void start(const std::string& member, const Words& arguments = {}) {
    Words words = {built_file("examples/fleet/fleet")};
    words.insert(words.end(), arguments.begin(), arguments.end());
    Words variables = {"PGAPPNAME=" + member};
    for (const auto& [name, value] : variables_of_fleet_) variables.push_back(name + "=" + value);
    start_process(member, std::move(words), std::move(variables));
  }
  int status_of(const std::string& member) { return members_.at(member).wait(60s).value_or(-1); }
  // The last figure behind some words that a process has printed, or -1.
  int printed(const std::string& member, const std::string& words) const {
    const std::string text = said(member);
    const std::size_t at = text.rfind(words + " ");
    return at == std::string::npos ? -1 : std::atoi(text.c_str() + at + words.size() + 1);
  }
  std::int64_t leased() {
    return lease_counter(world_.runtime, world_.client, world_.table, "127.0.0.1");
  }
  // The places of the rate that were given out, and that none of its seconds has too many.
  std::int64_t places() {
    const auto items =
        world_.run(world_.client.scan(world_.table, "dsqlconnect#127.0.0.1#", world_.soon()));
    FOREBAY_CHECK(items.has_value(), items.error().text());
    std::int64_t sum = 0;
    for (const aws::Item& item : *items) {
      const std::int64_t count = aws::integer_at(item, "count").value_or(0);
      EXPECT_LE(count, kFleetRate);
      sum += count;
    }
    return sum;
  }
  const TokenDirectory& directory() const { return WithDirectory::directory; }

  Variables variables_of_fleet_ = variables_of("local.env");
};

TEST_F(FleetTest, ThreeProcessesShareALimitAndARateAndAreLetInByTheirTokens) {
  const std::vector<std::string> fleet{"member-1", "member-2", "member-3"};
  for (const std::string& member : fleet) start(member);
  for (const std::string& member : fleet) {
    const auto has_its_share = [&] {
      return sessions() <= kFleetLimit && sessions(member) == kFleetLimit / 3;
    };
    EXPECT_TRUE(becomes(60s, has_its_share)) << sessions(member) << '\n' << said(member);
    EXPECT_TRUE(becomes(10s, [&] { return printed(member, "transactions") > 0; })) << said(member);
  }

  EXPECT_LE(most_, kFleetLimit);
  EXPECT_EQ(refused(), 0U) << server_->log_text();
  const auto connects = static_cast<std::int64_t>(arrivals().size());
  EXPECT_GE(connects, kFleetLimit);
  EXPECT_GE(places(), connects);
  EXPECT_EQ(directory().refused(), 0);
  EXPECT_GE(directory().let_in(), kFleetLimit);
  for (const std::string& member : fleet) EXPECT_GT(printed(member, "tokens"), 0) << said(member);

  for (const std::string& member : fleet) EXPECT_TRUE(end(member)) << said(member);
  EXPECT_EQ(sessions(), 0);
  EXPECT_EQ(leased(), 0);
}

TEST_F(FleetTest, ATokenOfAnotherKeyIsNotLetIn) {
  variables_of_fleet_["AWS_SECRET_ACCESS_KEY"] = "hunter2";
  variables_of_fleet_["FOREBAY_POOL_INITIAL_FILL_LIMIT"] = "1s";
  start("member-1", {"1"});

  EXPECT_EQ(status_of("member-1"), 1);
  EXPECT_TRUE(said("member-1").contains("authentication failed for user \"fleet\""))
      << said("member-1");
  EXPECT_FALSE(said("member-1").contains("hunter2")) << said("member-1");
  EXPECT_EQ(directory().let_in(), 0);
  EXPECT_GT(directory().refused(), 0);
}

TEST_F(FleetTest, WhatIsMissingFromTheEnvironmentIsSaid) {
  const Words needed{"DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED",
                     "FOREBAY_DATABASE_AUTHENTICATION"};
  for (const std::string& name : needed) {
    const auto taken = variables_of_fleet_.extract(name);
    start(name, {"1"});
    EXPECT_EQ(status_of(name), 2);
    EXPECT_TRUE(said(name).contains(name + "=" + taken.mapped() + " is missing")) << said(name);
    variables_of_fleet_[name] = taken.mapped();
  }
}

// The program is the same, so what it reads has to be enough.
TEST(FleetEnvironmentTest, OnAuroraDsqlItIsEnough) {
  const Configuration configuration = accepted(variables_of("dsql.env")).completed();

  EXPECT_EQ(configuration.warnings, std::vector<std::string>());
  EXPECT_EQ(configuration.database.authentication, Authentication::iam);
  ASSERT_TRUE(configuration.cluster);
  EXPECT_TRUE(configuration.cluster->endpoint.ends_with(".dsql.eu-west-1.on.aws"));
  EXPECT_EQ(configuration.cluster->user, "fleet");
  EXPECT_EQ(configuration.cluster->limit, 10'000);
  EXPECT_EQ(configuration.cluster->connects_per_second, 100);
  EXPECT_FALSE(configuration.cluster->lease_table.empty());
  EXPECT_FALSE(configuration.cluster->rate_table.empty());
  EXPECT_TRUE(problems(configuration).empty());
}

}  // namespace
}  // namespace forebay::test
