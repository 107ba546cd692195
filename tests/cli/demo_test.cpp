// "forebay demo" as a whole: the real program against real servers.
#include <algorithm>
#include <sstream>

#include <boost/property_tree/json_parser.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "forebay/embedded/postgres_server.hpp"
#include "forebay/forebay.hpp"
#include "support/loopback.hpp"

namespace forebay::cli {
namespace {

using embedded::PostgresServer;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::chrono::seconds kSoon = 10s;
#else
constexpr std::chrono::seconds kSoon = 2s;
#endif

// Ends with the test, like the server: one role "app" that needs a password.
class OwnServer {
 public:
  explicit OwnServer(int max_connections = 100) {
    embedded::PostgresServerOptions options;
    options.max_connections = max_connections;
    options.authentication = "scram-sha-256";
    auto launched = PostgresServer::launch(options);
    if (!launched) throw std::runtime_error(launched.error().text());
    server_ = std::move(*launched);
    Runtime runtime;
    PoolOptions one;
    one.size.max = 1;
    auto pool = postgres::PostgresPool::open(runtime, server_->superuser_url(), one);
    auto session = (*pool)->acquire_blocking(kPatience);
    const auto made =
        (*session)->exec_blocking("CREATE ROLE app LOGIN PASSWORD 'hunter2'", kPatience);
    if (!made) throw std::runtime_error(made.error().text());
  }
  std::string url(std::string_view password = {}) const {
    return server_->url("app", "postgres", password);
  }

 private:
  std::unique_ptr<PostgresServer> server_;
};

double number(const boost::property_tree::ptree& json, const std::string& key) {
  return std::stod(json.get<std::string>(key));
}

// Until the demo is at work: it has opened something.
pid_t wait_for_server_of(const Program& program) {
  for (int i = 0; i < 6000; ++i) {
    for (const pid_t child : children_of(program.pid())) {
      const bool is_postgres =
          text_of("/proc/" + std::to_string(child) + "/cmdline").contains("/bin/postgres");
      if (is_postgres && children_of(child).size() > 8) return child;
    }
    std::this_thread::sleep_for(10ms);
  }
  return -1;
}

// What the process list shows, as soon as it no longer shows the secret. If it always does, that.
std::string words_once_hidden(const Program& program, std::string_view secret) {
  std::string words;
  for (int i = 0; i < 100; ++i) {
    words = text_of("/proc/" + std::to_string(program.pid()) + "/cmdline");
    if (words.contains("--database") && !words.contains(secret)) break;
    std::this_thread::sleep_for(5ms);
  }
  return words;
}

TEST(DemoTest, InAPipeItIsQuietButForTheSummary) {
  Program program({"demo", "--seconds", "2", "--lifetime", "1s", "--guard", "100ms"});

  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(program.err(), "");
  EXPECT_THAT(program.out(), testing::StartsWith("forebay demo: 2"));
  EXPECT_THAT(program.out(),
              AllOf(HasSubstr("\n  served "), HasSubstr(" statements"), HasSubstr(", 0 failed\n"),
                    HasSubstr("\n  acquire    p50 "), HasSubstr("p99.9"), HasSubstr("\n  opened "),
                    HasSubstr("\n  discarded "), HasSubstr("\n  empty ")));
  EXPECT_THAT(program.out(), Not(HasSubstr("\x1b")));
}

TEST(DemoTest, TheJsonSummaryParsesAndAddsUp) {
  Program program({"demo", "--seconds", "2", "--lifetime", "1s", "--guard", "100ms", "--json"});

  ASSERT_EQ(program.wait(), 0) << program.err();
  boost::property_tree::ptree json;
  std::istringstream text(program.out());
  boost::property_tree::read_json(text, json);
  EXPECT_GE(number(json, "elapsed_seconds"), 2);
  EXPECT_EQ(number(json, "max"), 20);
  EXPECT_GT(number(json, "statements"), 10);
  EXPECT_EQ(number(json, "failures"), 0);
  EXPECT_GE(number(json, "acquire_seconds.count"), number(json, "statements"));
  EXPECT_GE(number(json, "empty"), 0);
  double discarded = 0;
  for (const auto& [reason, count] : json.get_child("discards"))
    discarded += std::stod(count.data());
  EXPECT_GT(discarded, 0);
  EXPECT_GE(number(json, "opened"), discarded);
  EXPECT_EQ(std::ranges::count(program.out(), '\n'), 1);
}

TEST(DemoTest, SignalsEndItSoonAndNothingIsLeftBehind) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program({"demo"});
    const pid_t server = wait_for_server_of(program);
    ASSERT_GT(server, 0) << program.err();
    const std::string command = text_of("/proc/" + std::to_string(server) + "/cmdline");
    const std::string folder = command.substr(command.find("-D") + 3);  // zeros part the words
    ASSERT_TRUE(std::filesystem::exists(folder.c_str()));

    program.send(signal);

    EXPECT_EQ(program.wait(kSoon), 0) << "it should have ended by now";
    EXPECT_THAT(program.out() + program.err(), HasSubstr("forebay demo: "));
    EXPECT_EQ(::kill(server, 0), -1);
    EXPECT_FALSE(std::filesystem::exists(folder.c_str()));
  }
}

TEST(DemoTest, AServerOfTheUsersOwnIsUsedAndItsPasswordStaysSecret) {
  const OwnServer server;
  Program program(
      {"demo", "--seconds", "1", "--connections", "5", "--database", server.url("hunter2")});
  const std::string listed = words_once_hidden(program, "hunter2");

  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(listed, AllOf(HasSubstr("--database"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(program.out(), AllOf(HasSubstr("on 127.0.0.1:"), HasSubstr(", 0 failed")));
  EXPECT_THAT(program.out() + program.err(), Not(HasSubstr("hunter2")));
}

TEST(DemoTest, ThePasswordMayComeFromTheEnvironment) {
  const OwnServer server;
  Program program({"demo", "--seconds", "1", "--connections", "5", "--database", server.url()},
                  {"PGPASSWORD=hunter2"});

  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_THAT(program.out() + program.err(), Not(HasSubstr("hunter2")));
}

TEST(DemoTest, ADatabaseThatRefusesIsAClearError) {
  const OwnServer server;
  Program program({"demo", "--database", server.url("wrong-secret")});

  EXPECT_EQ(program.wait(kSoon), 1) << "it should have ended by now";
  EXPECT_EQ(program.out(), "");
  EXPECT_THAT(program.err(),
              AllOf(testing::StartsWith("forebay demo: no connection to 127.0.0.1:"),
                    HasSubstr("password authentication failed"), Not(HasSubstr("wrong-secret"))));
  EXPECT_EQ(std::ranges::count(program.err(), '\n'), 1) << program.err();
}

TEST(DemoTest, ADatabaseThatIsNotThereIsAClearError) {
  Program program(
      {"demo", "--fill-limit", "500ms", "--database", "postgresql://app@127.0.0.1:1/x"});

  EXPECT_EQ(program.wait(), 1);
  EXPECT_THAT(program.err(), AllOf(HasSubstr("no connection to 127.0.0.1:1/x within 500ms: "),
                                   HasSubstr("Connection refused")));
  EXPECT_EQ(std::ranges::count(program.err(), '\n'), 1) << program.err();
}

// One that takes the connect and says nothing.
TEST(DemoTest, ADatabaseThatIsSilentIsAnErrorWithinThreeSeconds) {
  const test::LoopbackListener silent;
  Program program(
      {"demo", "--database", "postgresql://app@127.0.0.1:" + std::to_string(silent.port()) + "/x"});

  EXPECT_EQ(program.wait(kSoon + 1s), 1) << "it should have ended by now";
  EXPECT_THAT(program.err(), HasSubstr(" within 1500ms: "));
  EXPECT_EQ(std::ranges::count(program.err(), '\n'), 1) << program.err();
}

// 57 are to be had, 200 are wanted, and each lives for three seconds.
TEST(DemoTest, AFullServerIsKeptFull) {
  const OwnServer server(60);
  Program program({"demo", "--seconds", "8", "--connections", "200", "--lifetime", "3s", "--guard",
                   "200ms", "--fill-limit", "1s", "--json", "--database", server.url("hunter2")});

  ASSERT_EQ(program.wait(), 0) << program.err();
  boost::property_tree::ptree json;
  std::istringstream text(program.out());
  boost::property_tree::read_json(text, json);
  // A machine that is too busy to fill the server in that time shows nothing here; RefusalTest of
  // tests/pool does, in virtual time.
  const bool was_full = number(json, "open_failures") > 0;
  EXPECT_GE(number(json, "open"), was_full ? 30 : 1) << program.out();
}

TEST(DemoTest, TheLogTellsMoreOnRequestAndInJson) {
  Program program({"demo", "--seconds", "1", "--connections", "2", "--threads", "1"},
                  {"FOREBAY_LOG_LEVEL=info", "FOREBAY_LOG_FORMAT=json"});

  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(program.err(),
              AllOf(HasSubstr(R"("level":"info","message":"Reservoir mode enabled","pool":"demo")"),
                    HasSubstr(R"("message":"Reservoir initial fill complete")")));
}

TEST(DemoTest, ALogLevelThatMakesNoSenseIsRefused) {
  Program program({"demo"}, {"FOREBAY_LOG_LEVEL=loud"});

  EXPECT_EQ(program.wait(), 2);
  EXPECT_THAT(program.err(), HasSubstr("FOREBAY_LOG_LEVEL: "));
}

// 17 connections are to be had, 30 are wanted: the demo says so and works with those it gets.
TEST(DemoTest, APartlyFilledPoolIsAWarning) {
  const OwnServer server(20);
  Program program({"demo", "--seconds", "1", "--connections", "30", "--fill-limit", "4s", "--rate",
                   "0", "--database", server.url("hunter2")});

  EXPECT_EQ(program.wait(), 0) << program.err();
  // The server has two ways to say that it is full.
  const auto is_full = testing::AnyOf(HasSubstr("connection slots"), HasSubstr("too many clients"));
  EXPECT_THAT(program.err(),
              AllOf(HasSubstr("forebay demo: warning: "), HasSubstr(" of 30 "), is_full,
                    HasSubstr(" error Reservoir refiller: connection open failed pool=demo ")));
  EXPECT_THAT(program.out(), HasSubstr("last connect error: "));
}

}  // namespace
}  // namespace forebay::cli
