#include "forebay/proxy/link/link_connector.hpp"

#include <gtest/gtest.h>

#include "proxy_link/link_world.hpp"

namespace forebay::proxy {
namespace {

using wire::AuthenticationMethod;
using Side = sim::SimWire::Side;

ServerLink& link_of(const Result<std::unique_ptr<Connection>>& connection) {
  return static_cast<ServerLink&>(**connection);
}

void close(LinkWorld& world, Connection& connection) {
  EXPECT_TRUE(world.run(connection.close(world.in(10s))));
}

constexpr std::array kMethods{AuthenticationMethod::trust, AuthenticationMethod::cleartext,
                              AuthenticationMethod::md5, AuthenticationMethod::scram};

TEST(LinkConnectorTest, EveryMethodLetsIn) {
  for (const AuthenticationMethod method : kMethods) {
    LinkWorld world;
    world.server.method = method;
    const auto connector = world.connector();

    for (int session = 0; session < 2; ++session) {  // the second with the keys of the first
      const auto connection = world.connect(*connector);
      ASSERT_TRUE(connection) << connection.error().text();
      ServerLink& link = link_of(connection);
      EXPECT_TRUE(link.is_usable());
      EXPECT_FALSE(link.needs_reset());
      EXPECT_FALSE(link.needs_cancel());
      EXPECT_EQ(link.picture().reported.at("server_version"), "15.0 (fake)");
      EXPECT_EQ(link.picture().reported.at("TimeZone"), "UTC");
      EXPECT_EQ(link.cancel_key().key, "skey");
      EXPECT_EQ(world.server.startups.back(), "user=app database=inn ");
      close(world, link);
      EXPECT_EQ(world.server.sessions, 0);
    }
  }
}

TEST(LinkConnectorTest, AWrongPasswordIsRefusedAndNotRepeated) {
  for (const AuthenticationMethod method : kMethods) {
    if (method == AuthenticationMethod::trust) continue;
    LinkWorld world;
    world.server.method = method;
    const auto connector = world.connector();

    const auto refused = world.connect(*connector, 10s, "swordfish");

    EXPECT_EQ(code_of(refused), "refused");
    EXPECT_EQ(refused.error().sqlstate(), "28P01");
    EXPECT_FALSE(refused.error().text().contains("swordfish")) << refused.error().text();
    EXPECT_EQ(world.server.sessions, 0);
  }
}

// The token of the pool comes before the target's own password, and each time anew.
TEST(LinkConnectorTest, ATokenIsThePasswordOfOneConnect) {
  LinkWorld world;
  world.server.method = AuthenticationMethod::scram;
  world.server.password = "token 1";
  const auto connector = world.connector();
  const auto first = world.connect(*connector, 10s, "token 1");
  ASSERT_TRUE(first);
  world.server.password = "token 2";

  EXPECT_EQ(code_of(world.connect(*connector, 10s, "token 1")), "refused");
  const auto second = world.connect(*connector, 10s, "token 2");

  ASSERT_TRUE(second) << second.error().text();
  close(world, **first);
  close(world, **second);
}

TEST(LinkConnectorTest, APasswordWithAZeroByteIsInvalid) {
  LinkWorld world;
  const auto connector = world.connector();
  EXPECT_EQ(code_of(world.connect(*connector, 10s, std::string("a\0b", 3))), "invalid");
  EXPECT_TRUE(world.server.startups.empty());
}

TEST(LinkConnectorTest, WhatTheServerSaysIsTheCode) {
  struct Case {
    std::string sqlstate, text, code;
  };
  const std::vector<Case> cases{
      {"53300", "sorry, too many clients already", "limit_reached"},
      {"3D000", "database \"inn\" does not exist", "refused"},
      {"57P03", "the database system is starting up", "connect_failed"},
      {"08006", "unable to accept connection, access denied: signature expired", "token_expired"},
      {"53400", "unable to accept connection, rate exceeded", "rate_reached"},
      {"28P01", "password authentication failed for hunter2", "refused"},
  };
  for (const Case& each : cases) {
    LinkWorld world;
    world.server.raw_answer = error_message("FATAL", each.sqlstate, each.text);
    const auto connector = world.connector();

    const auto refused = world.connect(*connector);

    EXPECT_EQ(code_of(refused), each.code) << each.text;
    EXPECT_EQ(refused.error().sqlstate(), each.sqlstate);
    EXPECT_FALSE(refused.error().text().contains("hunter2")) << refused.error().text();
    EXPECT_EQ(world.server.sessions, 0);
  }
}

TEST(LinkConnectorTest, WhatIsNoServerIsNotBelieved) {
  std::string row;
  const std::vector<wire::Value> values{wire::Value("x")};
  wire::write_data_row(row, values);
  std::string accepted;
  wire::write_authentication(accepted, wire::AuthenticationKind::ok);
  std::string sasl;
  const std::vector<std::string_view> mechanisms{"SCRAM-SHA-256"};
  wire::write_authentication_sasl(sasl, mechanisms);
  const std::vector<std::string> answers{
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      std::string("R\0\0\0\3", 5),
      ready(),
      row,
      accepted + row,
      sasl + accepted,  // in without a proof that it knows the password
      accepted + accepted,
      accepted + sasl,
      std::string("R\0\0\0\x0c\0\0\0\7abcd", 13),  // GSSAPI
  };
  for (const std::string& answer : answers) {
    LinkWorld world;
    world.server.raw_answer = answer;
    const auto connector = world.connector();

    const auto refused = world.connect(*connector);

    EXPECT_TRUE(code_of(refused) == "connect_failed" || code_of(refused) == "refused")
        << answer << refused.error().text();
    EXPECT_EQ(world.server.sessions, 0);
  }
}

// Cuts each stream after so many bytes of one side.
class CuttingNetwork final : public StreamNetwork {
 public:
  CuttingNetwork(LinkWorld& world, Side side, std::uint64_t bytes)
      : world_(world), side_(side), bytes_(bytes) {}

  Task<Result<std::unique_ptr<ByteStream>>> connect(StreamAddress to, Until until) override {
    Result<std::unique_ptr<ByteStream>> stream = co_await world_.host.connect(to, until);
    world_.network.wires().back()->cut_after(side_, bytes_);
    co_return stream;
  }
  Result<std::unique_ptr<StreamListener>> listen(const StreamAddress& at) override {
    return world_.host.listen(at);
  }

 private:
  LinkWorld& world_;
  const Side side_;
  const std::uint64_t bytes_;
};

// Whichever byte is the last that arrives: the attempt ends, and the server has nothing left of it.
TEST(LinkConnectorTest, ACutAtAnyByteOfTheLogInLeavesNothing) {
  for (const AuthenticationMethod method : kMethods) {
    for (const Side side : {Side::caller, Side::called}) {
      bool was_in = false;
      for (std::uint64_t bytes = 0; !was_in; ++bytes) {
        LinkWorld world;
        world.server.method = method;
        CuttingNetwork network(world, side, bytes);
        LinkConnector connector(LinkEnv(world.scheduler, network, world.random),
                                target_of({LinkWorld::db()}),
                                postgres::ServerProfile::postgresql());

        const auto outcome = world.connect(connector);

        was_in = outcome.has_value();
        if (was_in) {
          world.run((*outcome)->close(world.in(10s)));
        } else {
          EXPECT_EQ(code_of(outcome), "connect_failed") << bytes;
          EXPECT_LT(world.scheduler.now(), Instant(1s)) << bytes;
        }
        world.scheduler.run_for(10ms);
        EXPECT_EQ(world.server.sessions, 0) << bytes;
      }
    }
  }
}

TEST(LinkConnectorTest, HoweverTheBytesAreSplitItGetsIn) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::SimStreamOptions options = LinkWorld::with_delay();
    options.is_choppy = true;
    options.capacity = 16;
    LinkWorld world(options, seed);
    world.server.method = AuthenticationMethod::scram;
    const auto connector = world.connector();

    const auto connection = world.connect(*connector);

    ASSERT_TRUE(connection) << connection.error().text();
    close(world, **connection);
  }
}

// It says nothing, but hangs up when we do.
TEST(LinkConnectorTest, ASilentServerIsGivenUpAtTheDeadline) {
  LinkWorld world;
  std::string notice;
  wire::write_notice(notice, wire::ErrorReport(wire::Severity::notice, "00000", "wait"));
  world.server.raw_answer = notice;
  const auto connector = world.connector();

  const auto late = world.connect(*connector, 3s);

  EXPECT_EQ(code_of(late), "timed_out");
  EXPECT_EQ(world.server.sessions, 0);
  EXPECT_LT(world.scheduler.now(), Instant(3100ms));
}

// It does not even notice that we hang up: promise 1 waits, and then somebody has to decide.
TEST(LinkConnectorTest, AServerThatDoesNotLetGoIsWaitedFor) {
  for (const bool gives_up : {false, true}) {
    LinkWorld world;
    world.server.raw_answer = error_message("FATAL", "28000", "no");
    world.server.lingers = true;
    LinkSettings settings;
    settings.give_up_after = 20s;
    const auto connector = world.connector(settings);
    std::optional<Result<std::unique_ptr<Connection>>> outcome;
    world.begin(connector->connect("", world.in(1s)), outcome);

    world.scheduler.run_until(Instant(10s));
    EXPECT_FALSE(outcome.has_value());
    if (gives_up) connector->give_up();
    if (!gives_up) world.server.lingers = false;
    world.scheduler.run_until(Instant(12s));

    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(code_of(*outcome), "refused");
    EXPECT_EQ(world.server.sessions, gives_up ? 1 : 0);
  }
}

TEST(LinkConnectorTest, CloseEndsAttempts) {
  struct Case {
    std::string what;
    Duration after;
  };
  for (const Duration after : {0ms, 1ms, 2ms, 3ms, 4ms, 5ms, 50ms}) {
    LinkWorld world;
    std::string question;
    wire::write_authentication(question, wire::AuthenticationKind::cleartext);
    world.server.raw_answer = question;  // and it never says what it makes of the answer
    const auto connector = world.connector();
    std::optional<Result<std::unique_ptr<Connection>>> outcome;
    world.begin(connector->connect("", world.in(100s)), outcome);
    world.scheduler.run_until(Instant(after));

    connector->close();
    world.scheduler.run_until(Instant(after + 20ms));

    ASSERT_TRUE(outcome.has_value()) << after.count();
    EXPECT_EQ(code_of(*outcome), "closed");
    EXPECT_EQ(world.server.sessions, 0);
    EXPECT_EQ(code_of(world.connect(*connector)), "closed");
  }
}

TEST(LinkConnectorTest, CloseEndsACallThatNobodyAnswers) {
  LinkWorld world;
  world.network.set_reachable(LinkWorld::db(), false);
  const auto connector = world.connector();
  std::optional<Result<std::unique_ptr<Connection>>> outcome;
  world.begin(connector->connect("", kNever), outcome);
  world.scheduler.run_until(Instant(1s));
  EXPECT_FALSE(outcome.has_value());

  connector->close();
  world.scheduler.settle();

  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(code_of(*outcome), "closed");
}

TEST(LinkConnectorTest, TheNextServerIsTriedWhereThatMayHelp) {
  const StreamAddress silent = StreamAddress::tcp("silent", 5432);
  const StreamAddress nobody = StreamAddress::tcp("nobody", 5432);
  LinkWorld world;
  world.network.set_reachable(silent, false);
  LinkConnector connector(world.env(), target_of({silent, nobody, LinkWorld::db()}),
                          postgres::ServerProfile::postgresql());

  const auto connection = world.connect(connector, 9s);

  ASSERT_TRUE(connection) << connection.error().text();
  EXPECT_LT(world.scheduler.now(), Instant(3100ms));  // a third of the time for each
  close(world, **connection);

  LinkConnector hopeless(world.env(), target_of({nobody, silent}),
                         postgres::ServerProfile::postgresql());
  const auto failed = world.connect(hopeless, 1s);
  EXPECT_EQ(code_of(failed), "timed_out");
  EXPECT_TRUE(failed.error().text().contains("nobody:5432")) << failed.error().text();
}

TEST(LinkConnectorTest, ARefusalEndsTheSearchAndAStartingServerDoesNot) {
  const StreamAddress second = StreamAddress::tcp("second", 5432);
  for (const bool is_starting : {false, true}) {
    LinkWorld world;
    FakeWireServer other(world.scheduler, world.server_host, second);
    world.server.raw_answer =
        is_starting ? error_message("FATAL", "57P03", "the database system is starting up")
                    : error_message("FATAL", "28000", "no");
    LinkConnector connector(world.env(), target_of({LinkWorld::db(), second}),
                            postgres::ServerProfile::postgresql());

    const auto connection = world.connect(connector);

    EXPECT_EQ(connection.has_value(), is_starting);
    EXPECT_EQ(other.startups.size(), is_starting ? 1U : 0U);
    if (connection) close(world, **connection);
    other.close();
    world.scheduler.settle();
  }
}

// A client for TLS that is never asked to do anything.
struct NoTls final : TlsClient {
  Task<Result<std::unique_ptr<ByteStream>>> connect(std::unique_ptr<ByteStream>, std::string,
                                                    ConstBytes, Instant) override {
    ++calls;
    co_return failure(Errc::connect_failed, "TLS with db failed: no protocols available");
  }
  int calls = 0;
};

TEST(LinkConnectorTest, ThePreferenceForTlsGivesWayAndTheRequirementDoesNot) {
  struct Case {
    LinkTls tls;
    std::string answer, code;
    int calls;
  };
  const std::vector<Case> cases{
      {LinkTls::prefer, "N", "none", 0},
      {LinkTls::require, "N", "refused", 0},
      {LinkTls::prefer, "S", "none", 1},
      {LinkTls::require, "S", "connect_failed", 1},
      {LinkTls::require, "E", "connect_failed", 0},
      {LinkTls::prefer, "SE", "refused", 0},
      {LinkTls::disable, "S", "none", 0},
  };
  for (const Case& each : cases) {
    LinkWorld world;
    world.server.answer_to_ssl = each.answer;
    NoTls tls;
    LinkTarget target = target_of({LinkWorld::db()});
    target.tls = each.tls;
    LinkConnector connector(LinkEnv(world.scheduler, world.host, world.random, &tls), target,
                            postgres::ServerProfile::postgresql());

    const auto connection = world.connect(connector);

    EXPECT_EQ(code_of(connection), each.code) << each.answer;
    EXPECT_EQ(tls.calls, each.calls);
    if (connection) close(world, **connection);
    EXPECT_EQ(world.server.sessions, 0);
  }
}

TEST(LinkConnectorTest, DsqlIsNeverMetInTheClear) {
  LinkWorld world;
  const auto connector = world.connector({}, postgres::ServerProfile::dsql());
  EXPECT_EQ(code_of(world.connect(*connector)), "refused");
}

TEST(LinkConnectorTest, TheServerIsToldHowSoonToMissUsAndWhatThePoolSets) {
  LinkWorld world;
  LinkSettings settings;
  settings.server_notices_after = 6s;
  settings.session_settings = {{"search_path", "a b"}, {"application_name", "pool"}};
  LinkTarget target = target_of({LinkWorld::db()});
  target.options = "-c work_mem=8MB";
  target.parameters = {{"application_name", "other"}, {"client_encoding", "UTF8"}};
  LinkConnector connector(world.env(), target, postgres::ServerProfile::postgresql(), settings);

  const auto connection = world.connect(connector);

  ASSERT_TRUE(connection);
  const std::string& sent = world.server.startups.back();
  EXPECT_TRUE(sent.contains("-c client_connection_check_interval=500")) << sent;
  EXPECT_TRUE(sent.contains("-c work_mem=8MB -c search_path=a\\ b")) << sent;
  EXPECT_TRUE(sent.contains("application_name=pool ")) << sent;
  EXPECT_FALSE(sent.contains("other")) << sent;
  EXPECT_TRUE(sent.contains("client_encoding=UTF8 ")) << sent;
  close(world, **connection);
}

TEST(LinkConnectorTest, WhereOptionsAreRefusedAStatementTells) {
  LinkWorld world;
  LinkSettings settings;
  settings.server_notices_after = 6s;
  const auto connector = world.connector(settings);
  world.server.raw_answer =
      error_message("FATAL", "08P01", "unsupported startup parameter: options");
  const auto refused = world.connect(*connector);
  EXPECT_EQ(code_of(refused), "connect_failed");
  world.server.raw_answer.clear();

  const auto connection = world.connect(*connector);

  ASSERT_TRUE(connection);
  EXPECT_FALSE(world.server.startups.back().contains("options="));
  ASSERT_FALSE(world.server.statements.empty());
  EXPECT_TRUE(world.server.statements.back().contains("set_config"));
  close(world, **connection);
}

}  // namespace
}  // namespace forebay::proxy
