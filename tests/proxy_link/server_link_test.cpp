#include "forebay/proxy/link/server_link.hpp"

#include <gtest/gtest.h>

#include "proxy_link/link_world.hpp"

namespace forebay::proxy {
namespace {

using wire::Leftover;

class ServerLinkTest : public ::testing::Test {
 protected:
  ~ServerLinkTest() override {
    if (!link_) return;
    world_.server.lingers = false;
    world_.run(link_->close(world_.in(10s)));
  }

  Result<void> reset() { return world_.run(link_->reset(world_.in(5s))); }
  bool is_there() { return world_.run(link_->is_still_there()); }
  const std::vector<std::string>& statements() { return world_.server.statements; }
  // What a user sees of it next.
  void expect_clean() {
    EXPECT_TRUE(link_->is_usable());
    EXPECT_FALSE(link_->needs_reset());
    EXPECT_FALSE(link_->needs_cancel());
    const auto rows = world_.run(link_->run("rows", world_.in(5s)));
    ASSERT_TRUE(rows) << rows.error().text();
    EXPECT_EQ(*rows, 3U);
  }

  LinkWorld world_;
  std::unique_ptr<ServerLink> link_ = world_.open();
};

TEST_F(ServerLinkTest, ACleanOneNeedsNothing) {
  expect_clean();
  const std::size_t before = statements().size();
  ASSERT_TRUE(reset());
  EXPECT_EQ(statements().size(), before);
}

TEST_F(ServerLinkTest, AnOpenTransactionIsRolledBack) {
  ASSERT_TRUE(world_.run(link_->run("BEGIN", world_.in(5s))));
  EXPECT_TRUE(link_->needs_reset());
  EXPECT_TRUE(link_->is_usable());

  ASSERT_TRUE(reset());

  EXPECT_EQ(statements().back(), "ROLLBACK");
  expect_clean();
}

TEST_F(ServerLinkTest, LeftoversAreCleared) {
  link_->picture().leftovers.add(Leftover::channels);
  EXPECT_TRUE(link_->needs_reset());
  ASSERT_TRUE(reset());
  EXPECT_EQ(statements().back(), "UNLISTEN *");
  EXPECT_TRUE(link_->picture().leftovers.empty());

  link_->picture().leftovers.add(Leftover::everything);
  ASSERT_TRUE(world_.run(link_->run("BEGIN", world_.in(5s))));
  ASSERT_TRUE(reset());
  const std::vector<std::string> last(statements().end() - 2, statements().end());
  EXPECT_EQ(last, (std::vector<std::string>{"ROLLBACK", "DISCARD ALL"}));
  expect_clean();
}

TEST_F(ServerLinkTest, AResetThatFailsEndsTheSession) {
  link_->picture().leftovers.add(Leftover::everything);
  link_->set_session_statement("fail");
  EXPECT_EQ(code_of(reset()), "statement_failed");
  EXPECT_FALSE(link_->is_usable());
}

TEST_F(ServerLinkTest, ACopyInIsEndedByCopyFail) {
  world_.query(*link_, "COPY");
  std::string data;
  wire::write_copy_data(data, "1\n");
  world_.say(*link_, data, "d");
  world_.scheduler.run_for(10ms);
  for (const bool has_seen_it : {false, true}) {
    if (has_seen_it) {
      world_.query(*link_, "COPY");
      world_.scheduler.run_for(10ms);
      EXPECT_FALSE(is_there());  // reads CopyInResponse
      EXPECT_FALSE(link_->needs_cancel());
      EXPECT_TRUE(link_->is_usable());
    }
    EXPECT_TRUE(link_->needs_reset());
    if (link_->needs_cancel()) {
      ASSERT_TRUE(world_.run(link_->cancel(world_.in(5s))));
    }
    ASSERT_TRUE(reset());
    expect_clean();
  }
  EXPECT_EQ(world_.server.cancels, 0);
}

TEST_F(ServerLinkTest, AnExtendedQueryWithoutItsSyncGetsOne) {
  std::string out;
  wire::write_parse(out, "s", "SELECT 1");
  world_.say(*link_, out, "P");
  EXPECT_TRUE(link_->needs_reset());
  EXPECT_FALSE(link_->needs_cancel());

  ASSERT_TRUE(reset());

  expect_clean();
}

TEST_F(ServerLinkTest, WhatIsLeftOfAnAnswerIsReadAndDropped) {
  world_.query(*link_, "rows");
  // The holder has seen a part of the first row, and lost interest.
  const auto got = world_.run(link_->stream().read(link_->frames().room(), world_.in(1s)));
  ASSERT_TRUE(got);
  link_->frames().add(*got);
  const wire::Frame frame = link_->frames().next();
  ASSERT_EQ(frame.kind, wire::Frame::Kind::first);
  link_->picture().answers.received(frame.type, frame.body);
  world_.scheduler.run_for(100ms);

  EXPECT_TRUE(link_->needs_cancel());
  ASSERT_TRUE(world_.run(link_->cancel(world_.in(5s))));  // finds that it has ended meanwhile
  EXPECT_EQ(world_.server.cancels, 0);
  ASSERT_TRUE(reset());
  expect_clean();
}

TEST_F(ServerLinkTest, ARunningStatementIsCancelled) {
  world_.query(*link_, "sleep");
  world_.scheduler.run_for(100ms);
  EXPECT_TRUE(link_->needs_cancel());
  EXPECT_FALSE(link_->is_usable());

  ASSERT_TRUE(world_.run(link_->cancel(world_.in(5s))));

  EXPECT_EQ(world_.server.cancels, 1);
  EXPECT_TRUE(link_->is_usable());
  ASSERT_TRUE(reset());
  expect_clean();
}

TEST_F(ServerLinkTest, AStatementThatEndsByItselfIsNotCancelled) {
  world_.query(*link_, "rows");
  EXPECT_TRUE(link_->needs_cancel());
  ASSERT_TRUE(world_.run(link_->cancel(world_.in(5s))));
  EXPECT_EQ(world_.server.cancels, 0);
  EXPECT_TRUE(link_->is_usable());
  ASSERT_TRUE(reset());
  expect_clean();
}

TEST_F(ServerLinkTest, AServerThatCannotCancelIsDrained) {
  LinkWorld world;
  world.server.has_key = false;
  const std::unique_ptr<ServerLink> link = world.open();
  world.query(*link, "rows");
  EXPECT_FALSE(link->needs_cancel());
  EXPECT_TRUE(link->is_usable());
  EXPECT_EQ(code_of(world.run(link->request_cancel(world.in(5s)))), "invalid");

  ASSERT_TRUE(world.run(link->reset(world.in(5s))));
  world.query(*link, "sleep");
  EXPECT_EQ(code_of(world.run(link->reset(world.in(1s)))), "timed_out");

  EXPECT_FALSE(link->is_usable());
  world.server.cancelled.insert(1);
  EXPECT_TRUE(world.run(link->close(world.in(5s))));
}

TEST_F(ServerLinkTest, TwoCancelsAreOneAndAResetWaitsForIt) {
  world_.server.is_cancel_slow = true;
  std::optional<Result<void>> first, second, hasty, cleared;
  world_.begin(link_->request_cancel(world_.in(5s)), first);
  world_.scheduler.run_for(10ms);
  world_.begin(link_->request_cancel(world_.in(5s)), second);
  world_.begin(link_->request_cancel(world_.in(10ms)), hasty);
  EXPECT_TRUE(link_->needs_reset());
  world_.begin(link_->reset(world_.in(5s)), cleared);
  world_.scheduler.run_for(100ms);
  EXPECT_EQ(code_of(*hasty), "timed_out");
  EXPECT_FALSE(first || second || cleared);

  world_.scheduler.run_for(1s);

  ASSERT_TRUE(first && second && cleared);
  EXPECT_TRUE(*first && *second && *cleared);
  EXPECT_EQ(world_.server.cancels, 1);
  expect_clean();
}

TEST_F(ServerLinkTest, ACancelMayOutliveItsLink) {
  world_.server.is_cancel_slow = true;
  std::optional<Result<void>> first, second;
  world_.begin(link_->request_cancel(world_.in(5s)), first);
  world_.begin(link_->request_cancel(world_.in(5s)), second);
  world_.scheduler.run_for(10ms);
  EXPECT_FALSE(world_.run(link_->close(world_.in(10ms))));  // it waits for the cancel
  link_.reset();

  world_.scheduler.run_for(2s);

  ASSERT_TRUE(first && second);
  EXPECT_TRUE(*first && *second);
}

TEST_F(ServerLinkTest, ACancelThatCannotBeDeliveredEndsTheSession) {
  world_.query(*link_, "sleep");
  world_.network.set_reachable(LinkWorld::db(), false);

  EXPECT_EQ(code_of(world_.run(link_->cancel(world_.in(1s)))), "timed_out");

  EXPECT_FALSE(link_->is_usable());
  EXPECT_FALSE(link_->needs_cancel());
  world_.server.cancelled.insert(1);
}

TEST_F(ServerLinkTest, ALookFindsWhatTheServerSaidMeanwhile) {
  EXPECT_TRUE(is_there());
  std::string words;
  wire::write_parameter_status(words, "TimeZone", "Asia/Tokyo");
  wire::write_notice(words, wire::ErrorReport(wire::Severity::notice, "00000", "hello"));
  wire::write_notification(words, {7, "channel", "payload"});
  start_detached(world_.scheduler, world_.server.say(words));
  world_.scheduler.run_for(10ms);

  EXPECT_TRUE(is_there());
  EXPECT_EQ(link_->picture().reported.at("TimeZone"), "Asia/Tokyo");
  expect_clean();
}

TEST_F(ServerLinkTest, ALookFindsThatTheServerHasEndedIt) {
  start_detached(world_.scheduler,
                 world_.server.say(error_message("FATAL", "57P01", "terminating connection")));
  world_.scheduler.run_for(10ms);
  EXPECT_FALSE(is_there());
  EXPECT_FALSE(link_->is_usable());
}

TEST_F(ServerLinkTest, ALookFindsThatTheStreamHasEnded) {
  world_.network.wires().front()->cut();
  EXPECT_FALSE(is_there());
  EXPECT_EQ(code_of(reset()), "connection_lost");
  const Instant before = world_.scheduler.now();
  EXPECT_TRUE(world_.run(link_->close(world_.in(5s))));
  EXPECT_EQ(world_.scheduler.now(), before);  // there is nobody to wait for
}

TEST_F(ServerLinkTest, AnAnswerThatNobodyAskedForEndsIt) {
  start_detached(world_.scheduler, world_.server.say(ready()));
  world_.scheduler.run_for(10ms);
  EXPECT_FALSE(is_there());
}

TEST_F(ServerLinkTest, ACheckIsARoundTrip) {
  EXPECT_TRUE(world_.run(link_->check(world_.in(5s))));
  EXPECT_EQ(statements().back(), ";");
  world_.network.wires().front()->fall_silent();
  EXPECT_EQ(code_of(world_.run(link_->check(world_.in(1s)))), "timed_out");
  EXPECT_FALSE(link_->is_usable());
}

TEST_F(ServerLinkTest, AStatementThatEndsTheSessionSaysSo) {
  const auto ended = world_.run(link_->run("die", world_.in(5s)));
  EXPECT_EQ(code_of(ended), "connection_lost");
  EXPECT_EQ(ended.error().sqlstate(), "57P01");
  EXPECT_FALSE(link_->is_usable());
}

TEST_F(ServerLinkTest, AResetKeepsThePictureTrue) {
  link_->set_session_statement("say pool");
  link_->picture().leftovers.add(Leftover::settings);
  ASSERT_TRUE(reset());
  EXPECT_EQ(link_->picture().reported.at("application_name"), "pool");
}

TEST_F(ServerLinkTest, CloseEndsWhenTheServerHasLetGo) {
  world_.server.lingers = true;
  EXPECT_FALSE(world_.run(link_->close(world_.in(3s))));
  EXPECT_EQ(world_.server.sessions, 1);
  world_.server.lingers = false;
  EXPECT_TRUE(world_.run(link_->close(world_.in(3s))));
  EXPECT_EQ(world_.server.sessions, 0);
}

// Nothing is heard any more; but the server works no longer than that for a client who is gone.
TEST_F(ServerLinkTest, CloseEndsWhenTheServerMustHaveLetGo) {
  ServerNotice notice;
  notice.longest_work = 10s;
  link_->set_notice(notice);
  world_.network.wires().front()->fall_silent();
  const Instant begun = world_.scheduler.now();
  EXPECT_FALSE(world_.run(link_->close(begun + 5s)));
  EXPECT_TRUE(world_.run(link_->close(begun + 30s)));
  EXPECT_EQ(world_.scheduler.now(), begun + 11s);
}

// Wherever it is cut, a reset ends, and only one that was whole leaves a session of use.
TEST(ServerLinkCutTest, AResetThatIsCutAtAnyByteIsNone) {
  for (const auto side : {sim::SimWire::Side::caller, sim::SimWire::Side::called}) {
    bool is_whole = false;
    for (std::uint64_t bytes = 0; !is_whole; ++bytes) {
      LinkWorld world;
      const std::unique_ptr<ServerLink> link = world.open();
      ASSERT_TRUE(world.run(link->run("BEGIN", world.in(5s))));
      link->picture().leftovers.add(Leftover::everything);
      const auto wire = world.network.wires().front();
      wire->cut_after(side, wire->written_by(side) + bytes);

      const Result<void> reset = world.run(link->reset(world.in(5s)));

      is_whole = reset.has_value();
      EXPECT_EQ(link->is_usable(), is_whole) << bytes;
      EXPECT_LT(world.scheduler.now(), Instant(1s));
      EXPECT_TRUE(world.run(link->close(world.in(5s))));
    }
  }
}

}  // namespace
}  // namespace forebay::proxy
