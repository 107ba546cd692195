// "forebay serve" as one of many: the routes to a server share its cluster's limit.
#include <cstdlib>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/serve_program.hpp"
#include "cli_aws/aws_program.hpp"
#include "forebay/embedded/postgres_server.hpp"
#include "support/standin_dynamodb.hpp"

namespace forebay::cli {
namespace {

using testing::HasSubstr;

// Six connections are let at once by the pools, four by the cluster.
TEST(ServeClusterTest, RoutesToAServerKeepToTheLimitOfItsCluster) {
  test::StandinDynamoWorld world;
  auto server = embedded::PostgresServer::launch({});
  ASSERT_TRUE(server.has_value()) << server.error().text();
  const std::string superuser = "psql -X '" + (*server)->superuser_url() + "' -qc ";
  ASSERT_EQ(std::system((superuser + "'CREATE ROLE app LOGIN'").c_str()), 0);
  const std::string url = (*server)->url("app", "postgres");
  const Folder folder;
  const std::string file = (folder.path() / "serve.yaml").string();
  std::ofstream(file) << "database: {url: '" << url << "'}\n"
                      << "leases: {enabled: true, table: " << world.table << ", limit: 4}\n"
                      << "cluster: {region: us-east-1}\nstartup: {staggered: false}\n"
                      << "pool: {max: 3}\n"
                      << "proxy:\n  listen: 127.0.0.1:0\n  query_wait: 60s\n  routes:\n"
                      << "    - {database: postgres}\n"
                      << "    - {database: other, target: {name: template1}}\n";
  const Words settings = variables(world.server.url());
  Program program({"serve", "--config", file}, settings);
  const std::string place = told_behind(program, "forebay serve: at 127.0.0.1:");
  ASSERT_FALSE(place.empty()) << program.err();
  const std::string port = place.substr(0, place.find(' '));

  const std::string count =
      "SELECT count(*) FROM pg_stat_activity, pg_sleep(0.2) WHERE backend_type = "
      "$$client backend$$";
  std::vector<std::string> counts(6);
  {
    std::vector<std::jthread> clients;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      clients.emplace_back([&, i] {
        const std::string database = i % 2 == 0 ? "postgres" : "other";
        counts[i] = psql(port, {"-U", "x", "-d", database, "-Atc", count});
      });
    }
  }
  for (const std::string& each : counts) {
    ASSERT_FALSE(each.empty());
    EXPECT_TRUE(each[0] >= '1' && each[0] <= '4' && each.size() == 2) << each;
  }
  const Words show{"leases",    "show",     "--table",   world.table, "--endpoint",
                   "127.0.0.1", "--region", "us-east-1", "--json"};
  EXPECT_THAT(run_forebay(show, settings).out, HasSubstr(R"("counter":4,"held":4)"));

  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_THAT(run_forebay(show, settings).out, HasSubstr(R"("counter":0,"held":0)"));
}

}  // namespace
}  // namespace forebay::cli
