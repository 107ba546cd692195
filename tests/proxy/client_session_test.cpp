// Scripts of messages: queries, transactions, releases, failures, the end.
#include "forebay/proxy/session/client_session.hpp"

#include <gtest/gtest.h>

#include "support/session_talk.hpp"

namespace forebay::proxy {
namespace {

using namespace test::words;
using test::Talk;
using test::TalkRoute;

ServerPicture fresh_server() {
  ServerPicture picture;
  picture.begin(test::usual_parameters());
  return picture;
}

class ClientSessionTest : public testing::Test {
 protected:
  TalkRoute route_;
  ServerPicture server_ = fresh_server();
  ServerPicture other_ = fresh_server();
};

TEST_F(ClientSessionTest, TheWelcomeNeedsNoServer) {
  Talk talk(route_, {{"user", "u"}, {"application_name", "app"}});

  EXPECT_EQ(talk.begin(),
            "client: Authentication, DateStyle=ISO, MDY, TimeZone=UTC, application_name=app, "
            "client_encoding=UTF8, server_version=15.0, BackendKeyData, Ready I");
  EXPECT_FALSE(talk.session().is_attached());
}

TEST_F(ClientSessionTest, AQueryHoldsAServerUntilItIsReady) {
  Talk talk(route_);

  EXPECT_EQ(talk.client(query("SELECT 1")), "wants a server");
  EXPECT_EQ(talk.attach(server_), "server: Query [SELECT 1]");
  EXPECT_TRUE(talk.session().is_busy());
  EXPECT_EQ(talk.server(complete("SELECT 1")), "client: [SELECT 1]");
  EXPECT_FALSE(talk.session().may_release());
  EXPECT_EQ(talk.server(ready()), "client: Ready I");
  EXPECT_TRUE(talk.session().may_release());
  talk.session().release();
  EXPECT_TRUE(server_.leftovers.empty());
}

// A text costs more than all the rest of a short query.
TEST_F(ClientSessionTest, ATextIsReadOnceWhenItsServerIsThere) {
  Talk talk(route_);

  EXPECT_EQ(talk.client(query("SELECT 1")), "wants a server");
  EXPECT_EQ(route_.texts.readings(), 0u);
  talk.attach(server_);
  EXPECT_EQ(route_.texts.readings(), 1u);
}

TEST_F(ClientSessionTest, ATransactionKeepsItsServer) {
  Talk talk(route_);
  talk.client(query("BEGIN"));
  talk.attach(server_);
  talk.server(complete("BEGIN") + ready('T'));

  EXPECT_FALSE(talk.session().may_release());
  EXPECT_EQ(talk.client(parse("", "SELECT 1") + run("") + sync()),
            "server: Parse  [SELECT 1], Bind  of , Execute, Sync");
  EXPECT_EQ(talk.server(parsed() + bound() + complete("SELECT 1") + ready('T')),
            "client: ParseComplete, BindComplete, [SELECT 1], Ready T");
  EXPECT_FALSE(talk.session().may_release());
  talk.client(query("COMMIT"));
  talk.server(complete("COMMIT") + ready());
  EXPECT_TRUE(talk.session().may_release());
}

TEST_F(ClientSessionTest, WhatNeedsNoServerIsAnsweredWithoutOne) {
  Talk talk(route_);

  EXPECT_EQ(talk.client(sync()), "client: Ready I");
  EXPECT_EQ(talk.client(flush()), "");
  EXPECT_EQ(
      talk.client(close(wire::Target::statement, "s") + close(wire::Target::portal, "p") + sync()),
      "client: CloseComplete, CloseComplete, Ready I");
  EXPECT_EQ(talk.client(query("DEALLOCATE ALL")), "client: [DEALLOCATE ALL], Ready I");
  EXPECT_EQ(talk.client(query("DISCARD ALL")), "client: [DISCARD ALL], Ready I");
  EXPECT_EQ(talk.client(terminate()), "ends");
}

TEST_F(ClientSessionTest, AUnitThatFailsIsSkippedUpToItsSync) {
  Talk talk(route_);
  const Error why(Errc::limit_reached, "no server");

  EXPECT_EQ(talk.client(query("SELECT 1")), "wants a server");
  EXPECT_EQ(talk.fail(why), "client: ERROR 53300 [no server], Ready I");
  EXPECT_EQ(talk.client(parse("s", "SELECT 1") + run("s") + sync() + query("SELECT 2")),
            "wants a server");
  EXPECT_EQ(talk.fail(why), "wants a server; client: ERROR 53300 [no server], Ready I");
  EXPECT_EQ(talk.attach(server_), "server: Query [SELECT 2]");
}

TEST_F(ClientSessionTest, AServerThatDiesTakesItsClientWithIt) {
  Talk talk(route_);
  talk.client(query("SELECT 1"));
  talk.attach(server_);

  EXPECT_EQ(talk.server(error("57P01", "bye", wire::Severity::fatal)),
            "ends; client: FATAL 57P01 [bye]");

  Talk second(route_);
  second.client(query("SELECT 1"));
  second.attach(other_);
  EXPECT_EQ(second.lose(Error(Errc::connection_lost, "gone")), "ends; client: FATAL 08006 [gone]");
}

TEST_F(ClientSessionTest, WhatNoClientMaySayEndsIt) {
  std::string password;
  wire::write_password(password, "secret");

  EXPECT_EQ(Talk(route_).client(password),
            "ends; client: FATAL 08P01 [a password was sent after the log-in]");
  EXPECT_EQ(Talk(route_).client(std::string("Q\0\0\0\5x", 6)),
            "ends; client: FATAL 08P01 [malformed message Query: a text has no end]");
}

TEST_F(ClientSessionTest, FunctionCallsAreRefused) {
  std::string call;
  wire::write_function_call(call, {});
  Talk talk(route_);

  EXPECT_EQ(talk.client(call),
            "client: ERROR 0A000 [function calls of the protocol are not supported], Ready I");
}

TEST_F(ClientSessionTest, CopyPassesBothWays) {
  Talk talk(route_);
  talk.client(parse("", "COPY t FROM STDIN") + run("") + sync());
  talk.attach(server_);
  std::string data;
  wire::write_copy_data(data, "1\n");
  std::string done;
  wire::write_copy_done(done);
  std::string begins;
  wire::write_copy_response(begins, wire::ServerMessage::copy_in_response, 0, {});

  EXPECT_EQ(talk.server(parsed() + bound() + begins),
            "client: ParseComplete, BindComplete, CopyInResponse");
  EXPECT_EQ(talk.client(data + done + sync()), "server: CopyData, CopyDone, Sync");
  EXPECT_FALSE(talk.session().may_release());
  EXPECT_EQ(talk.server(complete("COPY 1") + ready()), "client: [COPY 1], Ready I");
  EXPECT_TRUE(talk.session().may_release());
}

// The first Sync is part of the COPY. Whether the server had read it is known with the next answer.
TEST_F(ClientSessionTest, ACopyThatFailsLeavesTheClientInStep) {
  std::string data;
  wire::write_copy_data(data, "no number\n");
  wire::write_copy_done(data);
  std::string begins;
  wire::write_copy_response(begins, wire::ServerMessage::copy_in_response, 0, {});
  for (const Pooling pooling : {Pooling::transaction, Pooling::session}) {
    for (const bool is_read : {true, false}) {
      TalkRoute route;
      route.rules.pooling = pooling;
      ServerPicture server = fresh_server();
      Talk talk(route);
      talk.client(parse("", "COPY t FROM STDIN") + run("") + sync());
      talk.attach(server);
      talk.server(parsed() + bound() + begins);
      talk.client(data + sync());

      EXPECT_EQ(talk.server(error("22P02") + ready()), "client: ERROR 22P02 [no], Ready I");
      EXPECT_FALSE(talk.session().may_release());
      EXPECT_FALSE(server.answers.is_certain());
      if (!is_read) {
        EXPECT_EQ(talk.server(ready()), "client: Ready I");
        EXPECT_TRUE(server.answers.is_certain());
        EXPECT_EQ(talk.session().may_release(), pooling == Pooling::transaction);
      }
      EXPECT_EQ(talk.client(query("SELECT 1")), "server: Query [SELECT 1]");
      EXPECT_EQ(talk.server(complete("SELECT 1") + ready()), "client: [SELECT 1], Ready I");
      EXPECT_TRUE(server.answers.is_certain());
      EXPECT_EQ(talk.session().may_release(), pooling == Pooling::transaction);
    }
  }
}

// The error comes first, and the server was not reading data when it met the first Sync.
TEST_F(ClientSessionTest, ASyncThatEndsTheSkippingAfterAFailedCopyIsTheClients) {
  Talk talk(route_);
  talk.client(parse("", "COPY v FROM STDIN") + run("") + sync());
  talk.attach(server_);
  std::string begins;
  wire::write_copy_response(begins, wire::ServerMessage::copy_in_response, 0, {});
  EXPECT_EQ(talk.server(parsed() + bound() + begins + error("42809") + ready()),
            "client: ParseComplete, BindComplete, CopyInResponse, ERROR 42809 [no], Ready I");

  EXPECT_EQ(talk.client(query("SELECT 1")), "server: Query [SELECT 1]");
  EXPECT_EQ(talk.server(complete("SELECT 1") + ready()), "client: [SELECT 1], Ready I");
  EXPECT_TRUE(talk.session().may_release());
}

// A client that always has something under way never comes to the end of its pipeline.
TEST(ExpectedAnswersTest, WhatIsAnsweredIsForgotten) {
  ExpectedAnswers queue;
  queue.push({.type = 'P', .what = 0});
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    queue.push({.type = 'P', .what = i});
    ASSERT_EQ(queue.front().what, i - 1);
    queue.pop();
    ASSERT_EQ(queue.size(), 1u);
    ASSERT_LT(queue.kept(), 500u);
  }
  EXPECT_EQ(queue.at(0).what, 10'000u);
}

TEST(ClientStatementsTest, WhatIsAnsweredIsForgotten) {
  ClientStatements statements;
  const auto define = [&](std::uint64_t id) {
    statements.define_unnamed("SELECT " + std::to_string(id), {}, id);
  };
  define(1);
  for (std::uint64_t i = 2; i <= 10'000; ++i) {
    define(i);
    statements.keep_first();
    ASSERT_TRUE(statements.has_changes());
    ASSERT_LT(statements.kept(), 500u);
  }
  // The last one fails, and what was there before is there again.
  statements.undo_first(1);
  EXPECT_FALSE(statements.has_changes());
  EXPECT_EQ(statements.unnamed().id, 9'999u);
}

TEST_F(ClientSessionTest, SessionPoolingPassesEverything) {
  TalkRoute route;
  route.rules.pooling = Pooling::session;
  Talk talk(route);
  EXPECT_EQ(talk.client(parse("s", "LISTEN c") + run("s") + sync()), "wants a server");

  EXPECT_EQ(talk.attach(server_), "server: Parse s [LISTEN c], Bind  of s, Execute, Sync");
  EXPECT_EQ(talk.server(parsed() + bound() + complete("LISTEN") + ready()),
            "client: ParseComplete, BindComplete, [LISTEN], Ready I");
  EXPECT_FALSE(talk.session().may_release());
  EXPECT_TRUE(server_.leftovers.has(wire::Leftover::everything));
  EXPECT_EQ(talk.client(terminate()), "ends");
  EXPECT_TRUE(talk.session().may_release());
}

// A row of which only the beginning has been passed on. Whatever the client heard now it would take
// for the rest.
TEST_F(ClientSessionTest, AServerThatDiesInTheMiddleOfAMessageEndsWithoutWords) {
  Talk talk(route_);
  talk.client(query("SELECT 1"));
  talk.attach(server_);
  Output out;
  wire::Frame frame{.kind = wire::Frame::Kind::first, .type = 'D', .length = 1000};
  EXPECT_EQ(talk.session().from_server(frame, out), Verdict::forward);

  EXPECT_TRUE(talk.session().is_in_answer());
  EXPECT_EQ(talk.lose(Error(Errc::connection_lost, "gone")), "ends");
}

// What the server is told next it would take for the rest of that message.
TEST_F(ClientSessionTest, AMessageIsKnownToBeOpenUntilItsLastPiece) {
  Talk talk(route_);
  talk.client(query("COPY t FROM STDIN"));
  talk.attach(server_);
  Output out;
  wire::Frame frame{.kind = wire::Frame::Kind::first, .type = 'd', .length = 1000};

  EXPECT_FALSE(talk.session().is_in_message());
  talk.session().from_client(frame, out);
  EXPECT_TRUE(talk.session().is_in_message());
  frame.kind = wire::Frame::Kind::last;
  talk.session().from_client(frame, out);
  EXPECT_FALSE(talk.session().is_in_message());
}

// A server keeps the parameters of the client that it served last. That they are still the client's
// holds only until it changes them elsewhere.
TEST_F(ClientSessionTest, AServerThatFittedNeedsAFitAfterAChangeElsewhere) {
  Talk talk(route_);
  const auto serve = [&talk](ServerPicture& by, const std::string& sql, const std::string& more) {
    talk.client(query(sql));
    const std::string asked = talk.attach(by);
    talk.server(complete("DONE") + more + ready());
    talk.session().release();
    return asked;
  };
  serve(server_, "SELECT 1", "");
  serve(other_, "SET TimeZone TO 'CET'", parameter("TimeZone", "CET"));

  EXPECT_EQ(serve(other_, "SELECT 2", ""), "server: Query [SELECT 2]");
  EXPECT_EQ(serve(server_, "SELECT 3", ""),
            "is fitting; server: Query [SET \"timezone\" TO 'CET';]");
}

// A server that fits one client is known to fit those who began with the same, and no others.
TEST_F(ClientSessionTest, AServerThatFitsAClientFitsItsLikes) {
  const auto client_of = [this](const std::string& zone) {
    const std::vector<Setting> start{{"user", "u"}, {"TimeZone", zone}};
    auto talk = std::make_unique<Talk>(route_, start);
    if (talk->begin() == "wants a server") {
      talk->attach(server_);
      talk->server(parameter("TimeZone", zone) + complete("SET") + ready());
      talk->session().release();
    }
    return talk;
  };
  const auto serve = [this](Talk& talk, const std::string& sql, const std::string& more) {
    talk.client(query(sql));
    const std::string asked = talk.attach(server_);
    talk.server(complete("DONE") + more + ready());
    talk.session().release();
    return asked;
  };
  const auto first = client_of("CET"), second = client_of("CET");
  const std::uint64_t fitted = server_.fitted_for;

  EXPECT_EQ(serve(*second, "SELECT 1", ""), "server: Query [SELECT 1]");
  EXPECT_EQ(server_.fitted_for, fitted) << "it was compared again";
  serve(*second, "SET TimeZone TO 'UTC'", parameter("TimeZone", "UTC"));
  EXPECT_NE(server_.fitted_for, fitted);
  EXPECT_EQ(serve(*first, "SELECT 2", ""),
            "is fitting; server: Query [SET \"timezone\" TO 'CET';]");
}

// The error arrives between the pieces of a Bind that was sent ahead of it.
TEST_F(ClientSessionTest, ABindThatAnErrorInterruptsIsDropped) {
  Talk talk(route_);
  talk.client(run("unknown"));
  talk.attach(server_);
  Output out;
  wire::Frame frame{.kind = wire::Frame::Kind::first, .type = 'B', .length = 12};
  EXPECT_EQ(talk.session().from_client(frame, out), Verdict::done);

  EXPECT_EQ(talk.server(error("26000")), "client: ERROR 26000 [no]");
  frame.kind = wire::Frame::Kind::last;
  frame.bytes = frame.body = std::string_view("\0\0\0\0\0\0\0\0\0\0\0\0", 12);
  EXPECT_EQ(talk.session().from_client(frame, out), Verdict::done);

  EXPECT_EQ(out.to_server, "");
  EXPECT_EQ(talk.client(sync()), "server: Sync");
  EXPECT_EQ(talk.server(ready()), "client: Ready I");
  EXPECT_TRUE(talk.session().may_release());
}

// What was sent ahead for a COPY that got no server wants none, and the next Query is not skipped.
TEST_F(ClientSessionTest, CopyDataWithoutAServerIsDroppedWithSessionPoolingToo) {
  SessionRules rules;
  rules.pooling = Pooling::session;
  TalkRoute route(rules);
  Talk talk(route);
  std::string data;
  wire::write_copy_data(data, "1\n");
  wire::write_copy_done(data);
  talk.client(query("COPY t FROM STDIN"));
  talk.fail(Error(Errc::limit_reached, "all are lent"));

  EXPECT_EQ(talk.client(data), "");
  EXPECT_EQ(talk.client(query("SELECT 1")), "wants a server");
}

// EXECUTE had it prepared on this server under the client's own name.
TEST_F(ClientSessionTest, AStatementThatIsClosedIsGoneForExecuteToo) {
  Talk talk(route_);
  talk.client(query("BEGIN"));
  talk.attach(server_);
  talk.server(complete("BEGIN") + ready('T'));
  talk.client(parse("s", "SELECT 1") + sync());
  talk.server(parsed() + ready('T'));
  talk.client(query("EXECUTE s"));
  talk.server(closed() + parsed() + ready('T') + complete("SELECT 1") + ready('T'));

  EXPECT_EQ(talk.client(close(wire::Target::statement, "s") + sync()), "server: Close S s, Sync");
  EXPECT_EQ(talk.server(closed() + ready('T')), "client: CloseComplete, Ready T");
}

// The second one was to discard what was prepared between them, and then it failed.
TEST_F(ClientSessionTest, WhatALaterDiscardWasToDropIsNotForgottenByAnEarlierOne) {
  Talk talk(route_);
  talk.client(parse("d", "DISCARD ALL") + run("d") + parse("x", "SELECT 1") +
              parse("d", "DISCARD ALL") + run("d") + sync());
  talk.attach(server_);
  talk.server(parsed() + bound() + complete("DISCARD ALL"));
  talk.server(parsed() + closed() + parsed() + bound() + error("25001") + ready());

  const std::string asked = talk.client(run("x") + sync());
  EXPECT_NE(asked.find("Close S forebay_2, Parse forebay_2 [SELECT 1]"), std::string::npos)
      << asked;
}

}  // namespace
}  // namespace forebay::proxy
