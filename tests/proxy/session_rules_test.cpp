// Scripts of messages: prepared statements, parameters and session state across servers.
#include <gtest/gtest.h>

#include "support/session_talk.hpp"

namespace forebay::proxy {
namespace {

using namespace test::words;
using test::Talk;
using test::TalkRoute;
using wire::Leftover;

class SessionRulesTest : public testing::Test {
 protected:
  SessionRulesTest() {
    one_.begin(test::usual_parameters());
    two_.begin(test::usual_parameters());
  }

  // The client prepares a statement on the first server, which then serves others.
  void prepare(Talk& talk, std::string_view name, std::string_view sql) {
    talk.client(parse(name, sql) + sync());
    talk.attach(one_);
    talk.server(parsed() + ready());
    talk.session().release();
  }

  TalkRoute route_;
  ServerPicture one_;
  ServerPicture two_;
};

TEST_F(SessionRulesTest, AStatementFollowsItsClient) {
  Talk talk(route_);
  prepare(talk, "s", "SELECT 1");

  talk.client(test::words::bind("s") + execute() + sync());
  EXPECT_EQ(talk.attach(two_),
            "server: Parse forebay_1 [SELECT 1], Bind  of forebay_1, Execute, Sync");
  EXPECT_EQ(talk.server(parsed()), "");
  EXPECT_EQ(talk.server(bound() + complete("SELECT 1") + ready()),
            "client: BindComplete, [SELECT 1], Ready I");
  talk.session().release();
  talk.client(describe(wire::Target::statement, "s") + sync());
  EXPECT_EQ(talk.attach(two_), "server: Describe S forebay_1, Sync");
}

TEST_F(SessionRulesTest, AnotherClientsParseOfTheSameTextIsAnsweredInItsPlace) {
  Talk first(route_);
  prepare(first, "s", "SELECT 1");
  Talk talk(route_);
  talk.client(parse("", "SELECT 2") + parse("mine", "SELECT 1") + run("mine") + sync());

  EXPECT_EQ(talk.attach(one_), "server: Parse  [SELECT 2], Bind  of forebay_1, Execute, Sync");
  EXPECT_EQ(talk.server(parsed()), "client: ParseComplete, ParseComplete");
  EXPECT_EQ(route_.counters.parses_answered, 1u);
}

TEST_F(SessionRulesTest, AnErrorSkipsWhatIsOursToo) {
  Talk first(route_);
  prepare(first, "s", "SELECT 1");
  Talk talk(route_);
  talk.client(parse("", "SELEC") + parse("mine", "SELECT 1") + sync());
  talk.attach(one_);

  EXPECT_EQ(talk.server(error("42601") + ready()), "client: ERROR 42601 [no], Ready I");
  talk.client(parse("mine", "SELECT 9") + sync());
  EXPECT_EQ(talk.server(parsed() + ready()), "client: ParseComplete, Ready I");
}

TEST_F(SessionRulesTest, AnAddedParseThatFailsFailsTheBind) {
  Talk talk(route_);
  prepare(talk, "s", "SELECT * FROM t");
  talk.client(run("s") + sync());
  talk.attach(two_);

  EXPECT_EQ(talk.server(error("42P01", "no table") + ready()),
            "client: ERROR 42P01 [no table], Ready I");
}

TEST_F(SessionRulesTest, ABindInPiecesIsRenamedInItsFirst) {
  Talk talk(route_);
  prepare(talk, "statement", "SELECT $1");
  const std::string value(200'000, 'x');
  const wire::Value parameter = value;
  std::string bind;
  wire::write_bind(bind, {.statement = "statement", .parameters = std::span(&parameter, 1)});
  std::string renamed;
  wire::write_bind(renamed, {.statement = "forebay_1", .parameters = std::span(&parameter, 1)});

  wire::FrameReader reader(wire::FrameOptions{.whole = kWholeFromClient, .capacity = 64});
  reader.expect_messages();
  talk.client(query("BEGIN"));
  talk.attach(one_);
  talk.server(complete("BEGIN") + ready('T'));
  Output out;
  // Of each length, so that the names are cut in all places.
  for (const std::size_t first : {6U, 7U, 10U, 15U, 16U, 40U}) {
    out = {};
    wire::Frame frame{.kind = wire::Frame::Kind::first, .type = 'B'};
    frame.length = static_cast<std::uint32_t>(bind.size() - 5);
    frame.bytes = std::string_view(bind).substr(0, first);
    frame.body = frame.bytes.substr(5);
    ASSERT_EQ(talk.session().from_client(frame, out), Verdict::done);
    frame.kind = wire::Frame::Kind::middle;
    frame.bytes = frame.body = std::string_view(bind).substr(first, 20);
    if (talk.session().from_client(frame, out) == Verdict::forward) out.to_server += frame.bytes;
    frame.kind = wire::Frame::Kind::last;
    frame.bytes = frame.body = std::string_view(bind).substr(first + 20);
    ASSERT_EQ(talk.session().from_client(frame, out), Verdict::forward);
    out.to_server += frame.bytes;
    EXPECT_TRUE(out.to_server == renamed) << first;
  }
}

TEST_F(SessionRulesTest, TheStatementUsedLeastLatelyMakesRoom) {
  route_.rules.most_statements = 1;
  Talk talk(route_);
  prepare(talk, "a", "SELECT 1");

  talk.client(parse("b", "SELECT 2") + sync());
  EXPECT_EQ(talk.attach(one_), "server: Close S forebay_1, Parse forebay_2 [SELECT 2], Sync");
  EXPECT_EQ(talk.server(closed() + parsed() + ready()), "client: ParseComplete, Ready I");
  EXPECT_EQ(one_.statements.size(), 1u);
}

TEST_F(SessionRulesTest, AStalePlanIsMadeAnew) {
  Talk talk(route_);
  prepare(talk, "s", "SELECT * FROM t");
  talk.client(run("s") + sync());
  talk.attach(one_);
  talk.server(error("0A000", "cached plan must not change result type") + ready());

  EXPECT_EQ(talk.client(run("s") + sync()),
            "server: Close S forebay_1, Parse forebay_1 [SELECT * FROM t], Bind  of forebay_1, "
            "Execute, Sync");
}

TEST_F(SessionRulesTest, ParametersFollowTheirClient) {
  Talk talk(route_);
  talk.client(query("SET TimeZone TO 'CET'"));
  talk.attach(one_);
  EXPECT_EQ(talk.server(complete("SET") + parameter("TimeZone", "CET") + ready()),
            "client: [SET], TimeZone=CET, Ready I");
  EXPECT_FALSE(talk.session().is_pinned());
  talk.session().release();

  talk.client(query("SELECT 1"));
  EXPECT_EQ(talk.attach(two_), R"(is fitting; server: Query [SET "timezone" TO 'CET';])");
  EXPECT_FALSE(talk.session().may_release());
  EXPECT_EQ(talk.server(complete("SET") + parameter("TimeZone", "CET") + ready()),
            "server: Query [SELECT 1]");

  Talk other(route_);
  other.client(query("SELECT 1"));
  EXPECT_EQ(other.attach(one_), R"(is fitting; server: Query [RESET "timezone";])");
}

TEST_F(SessionRulesTest, WhatAServerMakesOfWishesIsRemembered) {
  const std::vector<Setting> wishes{
      {"user", "u"}, {"TIMEZONE", "cet"}, {"options", "-c search_path=a,b --x.y=it's"}};
  Talk talk(route_, wishes);
  EXPECT_EQ(talk.begin(), "wants a server");
  EXPECT_EQ(talk.attach(one_),
            "is fitting; server: Query [SET \"timezone\" TO 'cet';SELECT "
            "pg_catalog.set_config('search_path', 'a,b', false);SET \"x\".\"y\" TO 'it''s';]");
  const std::string welcome =
      "client: Authentication, DateStyle=ISO, MDY, TimeZone=CET, application_name=, "
      "client_encoding=UTF8, server_version=15.0, BackendKeyData, Ready I";
  EXPECT_EQ(talk.server(parameter("TimeZone", "CET") + ready()), welcome);
  EXPECT_TRUE(talk.session().may_release());
  talk.session().release();

  EXPECT_EQ(Talk(route_, wishes).begin(), welcome);
  Talk plain(route_);
  plain.client(query("SELECT 1"));
  EXPECT_EQ(plain.attach(one_),
            "is fitting; server: Query [RESET \"timezone\";RESET \"search_path\";RESET "
            "\"x\".\"y\";]");
}

TEST_F(SessionRulesTest, AWishThatNoServerTakesKeepsTheClientOut) {
  Talk talk(route_, {{"user", "u"}, {"nonsense", "1"}});
  talk.begin();
  talk.attach(one_);

  EXPECT_EQ(talk.server(error("42704", "unrecognized parameter") + ready()),
            "ends; client: FATAL 42704 [unrecognized parameter]");
  EXPECT_TRUE(talk.session().may_release());
}

TEST_F(SessionRulesTest, ResetGoesBackToWhatTheClientBeganWith) {
  Talk talk(route_, {{"user", "u"}, {"application_name", "app"}});
  talk.begin();
  talk.client(query("RESET application_name"));
  talk.attach(one_);
  EXPECT_EQ(talk.server(parameter("application_name", "app") + ready()),
            "server: Query [RESET application_name], Query [SET \"application_name\" TO 'app';]");

  EXPECT_EQ(talk.server(complete("RESET") + parameter("application_name", "") + ready() +
                        complete("SET") + parameter("application_name", "app") + ready()),
            "client: [RESET], Ready I");
}

TEST_F(SessionRulesTest, SessionStatePinsItsServer) {
  Talk talk(route_);
  talk.client(query("LISTEN c"));
  talk.attach(one_);
  talk.server(complete("LISTEN") + ready());
  EXPECT_TRUE(talk.session().is_pinned());
  EXPECT_FALSE(talk.session().may_release());
  EXPECT_EQ(route_.counters.pins, 1u);

  EXPECT_EQ(talk.client(query("DISCARD ALL")), "server: Query [DISCARD ALL]");
  talk.server(complete("DISCARD ALL") + ready());
  EXPECT_TRUE(talk.session().may_release());
  EXPECT_TRUE(one_.leftovers.empty());
}

TEST_F(SessionRulesTest, WhatPinsAndWhatDoesNot) {
  for (const char* sql :
       {"LISTEN c", "CREATE TEMP TABLE t (a int)", "SELECT pg_advisory_lock(1)", "LOAD 'x'",
        "DECLARE c CURSOR WITH HOLD FOR SELECT 1", "PREPARE p AS SELECT 1", "SET work_mem TO '1MB'",
        "SET ROLE x", "SELECT set_config('work_mem', '1MB', false)"}) {
    for (const bool is_extended : {false, true}) {
      ServerPicture server;
      server.begin(test::usual_parameters());
      Talk talk(route_);
      talk.client(is_extended ? parse("", sql) + run("") + sync() : query(sql));
      talk.attach(server);
      EXPECT_TRUE(talk.session().is_pinned()) << sql;
    }
  }
  for (const char* sql : {"SELECT 1", "SET TimeZone TO 'CET'", "SET LOCAL work_mem TO '1MB'",
                          "SELECT mine()", "DO $$ BEGIN END $$", "SELECT nextval('s')", "NOTIFY c",
                          "RESET ALL", "SELECT pg_advisory_xact_lock(1)"}) {
    ServerPicture server;
    server.begin(test::usual_parameters());
    Talk talk(route_);
    talk.client(query(sql));
    talk.attach(server);
    EXPECT_FALSE(talk.session().is_pinned()) << sql;
    const std::string_view text(sql);
    EXPECT_EQ(server.leftovers.has(Leftover::everything),
              text.starts_with("SELECT mine") || text.starts_with("DO"))
        << sql;
    EXPECT_EQ(server.leftovers.has(Leftover::sequences), text.contains("nextval")) << sql;
  }
}

TEST_F(SessionRulesTest, SessionStateCanBeRefused) {
  route_.rules.on_session_state = OnSessionState::refuse;
  Talk talk(route_);
  talk.client(query("LISTEN c"));

  const std::string refusal =
      "ERROR 0A000 [LISTEN is session state, and does not go with transaction pooling]";
  EXPECT_EQ(talk.attach(one_), "client: " + refusal + ", Ready I");
  talk.client(query("BEGIN"));
  talk.server(complete("BEGIN") + ready('T'));
  EXPECT_EQ(talk.client(parse("", "LISTEN c") + run("") + sync()),
            "server: Parse forebay_refused [refused by the pool of connections], Bind  of , "
            "Execute, Sync");
  EXPECT_EQ(talk.server(error("42601") + ready('E')), "client: " + refusal + ", Ready E");
  EXPECT_EQ(route_.counters.refusals, 2u);
}

TEST_F(SessionRulesTest, SessionStateCanBeAllowedToBeLost) {
  route_.rules.on_session_state = OnSessionState::allow;
  Talk talk(route_);
  talk.client(query("LISTEN c"));
  talk.attach(one_);
  talk.server(complete("LISTEN") + ready());

  EXPECT_TRUE(talk.session().may_release());
  EXPECT_TRUE(one_.leftovers.has(Leftover::channels));
}

TEST_F(SessionRulesTest, WhoGoesInTheMiddleLeavesEverything) {
  Talk talk(route_);
  talk.client(query("BEGIN"));
  talk.attach(one_);
  talk.server(complete("BEGIN") + ready('T'));

  EXPECT_EQ(talk.client(terminate()), "ends");
  EXPECT_FALSE(talk.session().may_release());
  talk.session().release();
  EXPECT_TRUE(one_.leftovers.has(Leftover::everything));
}

TEST_F(SessionRulesTest, AnIdleClientIsSmall) { EXPECT_LE(sizeof(ClientSession), 700u); }

}  // namespace
}  // namespace forebay::proxy
