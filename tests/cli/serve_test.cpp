// "forebay serve" as a whole: the real program before a real server, with routes of a file.
#include <boost/asio.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/serve_program.hpp"
#include "forebay/embedded/postgres_server.hpp"
#include "forebay/forebay.hpp"

namespace forebay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string ask(const std::string& url, const std::string& path) {
  const std::size_t host = url.find("://") + 3;
  const std::size_t port = url.rfind(':');
  boost::asio::ip::tcp::iostream stream(url.substr(host, port - host), url.substr(port + 1));
  stream << "GET " << path << " HTTP/1.0\r\nHost: x\r\nConnection: close\r\n\r\n" << std::flush;
  std::ostringstream answer;
  answer << stream.rdbuf();
  return answer.str();
}

class ServeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto launched = embedded::PostgresServer::launch({});
    ASSERT_TRUE(launched.has_value()) << launched.error().text();
    server_ = std::move(*launched);
  }
  static void TearDownTestSuite() { server_.reset(); }

  static inline std::unique_ptr<embedded::PostgresServer> server_;
};

TEST_F(ServeTest, TwoRoutesOfAFileServePsqlAndTellOfThemselves) {
  const Folder folder;
  std::ofstream(folder.path() / "serve.yaml")
      << "database: {url: '" << server_->superuser_url() << "'}\n"
      << "proxy:\n  listen: 127.0.0.1:0\n  routes:\n"
      << "    - {database: postgres, pool: {max: 3}}\n"
      << "    - {database: templates, target: {name: template1}, pooling: session}\n";
  Program program(
      {"serve", "--config", (folder.path() / "serve.yaml").string(), "--metrics", "127.0.0.1:0"});
  const std::string place = told_behind(program, "forebay serve: at 127.0.0.1:");
  ASSERT_FALSE(place.empty()) << program.err();
  const std::string port = place.substr(0, place.find(' '));
  const std::string metrics = told_behind(program, "metrics at ");
  const std::string url = metrics.substr(0, metrics.rfind('/'));

  const std::vector<std::string> ask_where{"-Atc", "SELECT current_database()"};
  const auto where = [&](const std::string& user, const std::string& database) {
    return psql(port, {"-U", user, "-d", database, ask_where[0], ask_where[1]});
  };
  EXPECT_EQ(where("postgres", "postgres"), "postgres\n");
  EXPECT_EQ(where("anybody", "templates"), "template1\n");
  EXPECT_THAT(where("bob", "bob"),
              AllOf(HasSubstr("FATAL:  database \"bob\" is not served by this proxy; served: "
                              "\"postgres\", \"templates\""),
                    HasSubstr("HINT:  Clients that name no database ask for one that is called as "
                              "the user: name one, as in psql -d NAME.")));

  EXPECT_THAT(ask(url, "/readyz"), HasSubstr("ready\n"));
  EXPECT_THAT(ask(url, "/healthz"), HasSubstr("ok\n"));
  const std::string page = ask(url, "/metrics");
  EXPECT_THAT(
      page,
      AllOf(HasSubstr("forebay_proxy_logins_total{service=\"serve\",route=\"postgres\"} 1\n"),
            HasSubstr("forebay_proxy_logins_total{service=\"serve\",route=\"templates\"} 1\n"),
            HasSubstr("forebay_proxy_refused_total{service=\"serve\",route=\"(none)\"} 1\n"),
            HasSubstr("dsql_pool_max_open{service=\"serve\",pool=\"postgres\"} 3\n"),
            HasSubstr("dsql_pool_max_open{service=\"serve\",pool=\"templates\"} 10\n")));

  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_THAT(program.out(), AllOf(HasSubstr("route    postgres: "), HasSubstr("1 refused")));
}

TEST_F(ServeTest, AUrlAloneIsEnough) {
  Program program({"serve", "--database", server_->superuser_url(), "--listen", "127.0.0.1:0"});
  const std::string place = told_behind(program, "forebay serve: at 127.0.0.1:");
  ASSERT_FALSE(place.empty()) << program.err();
  const std::string port = place.substr(0, place.find(' '));

  EXPECT_EQ(psql(port, {"-U", "whoever", "-d", "postgres", "-Atc", "SELECT 6 * 7"}), "42\n");
  EXPECT_THAT(psql(port, {"-U", "whoever", "-c", "SELECT 1"}),
              HasSubstr("database \"whoever\" is not served by this proxy; served: \"postgres\""));
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 0) << program.err();
}

// Command line, file and environment at once, and nothing listens.
TEST_F(ServeTest, EverythingThatIsWrongIsToldAtOnce) {
  const Folder folder;
  const std::string file = (folder.path() / "bad.yaml").string();
  std::ofstream(file) << "proxy:\n  listen: 0.0.0.0:6432\n  routes:\n"
                      << "    - {database: a, pool: {max: none}}\n"
                      << "    - {database: a, target: {host: x}, queri_limit: 5s}\n";
  Program program({"serve", "--config", file, "--pooling", "statement", "--seconds", "soon",
                   "--idle-limit", "0s"},
                  {"FOREBAY_PROXY_QUERY_WAIT=-1s"});
  EXPECT_EQ(program.wait(), 2) << program.out();
  EXPECT_EQ(program.out(), "");
  for (const std::string told :
       {"--seconds is \"soon\": it must be a whole number",
        "bad.yaml:2: proxy.listen: \"0.0.0.0:6432\" is open to other machines",
        "bad.yaml:4: proxy.routes[0].pool.max: \"none\" is not a whole number",
        "bad.yaml:5: proxy.routes[1].queri_limit: unknown key; did you mean query_limit?",
        "--pooling: \"statement\" is unknown",
        "FOREBAY_PROXY_QUERY_WAIT is -1s: it must be more than zero",
        "--idle-limit is 0s: it must be more than zero",
        "bad.yaml:5: proxy.routes[1] is for the same clients as proxy.routes[0]"})
    EXPECT_THAT(program.err(), HasSubstr(told));
  EXPECT_EQ(lines_of(program.err()).size(), 8u + 2u) << program.err();
}

TEST_F(ServeTest, SingleMistakes) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"--database", ""}, "--database (not shown): it is empty; right would be postgresql://"},
      {{"--database", "postgresql://u:hunter2@h:port/x"}, "--database (not shown): "},
      {{"--connections", "0"}, "--connections is 0: it must be between 1 and 100000"},
      {{"--connections", "many"}, "--connections is \"many\": it must be a whole number"},
      {{"--listen", "10.0.0.1:6432"}, "--listen: \"10.0.0.1:6432\" is open to other machines"},
      {{"--listen", "u:hunter2@h"}, "--listen is not shown, since it may hold a password"},
      {{"--query-wait", "5"}, "--query-wait: \"5\" is not a time"},
      {{"--on-session-state", "ignore"}, "--on-session-state: \"ignore\" is unknown"},
      {{"--no-load"}, "--no-load: there is load only with --try"},
      {{"--config", "/nowhere.yaml"}, "/nowhere.yaml cannot be read"},
      {{"--database", "host=h sslcrl=/x user=u"}, "sslcrl cannot be kept by the proxy"},
  };
  for (const auto& [words, told] : mistakes) {
    std::vector<std::string> arguments{"serve"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    Program program(arguments);
    EXPECT_EQ(program.wait(), 2) << told;
    EXPECT_THAT(program.err(), AllOf(HasSubstr(told), Not(HasSubstr("hunter2"))));
    EXPECT_EQ(program.out(), "") << told;
  }
}

}  // namespace
}  // namespace forebay::cli
