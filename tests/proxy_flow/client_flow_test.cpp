// What a client's flow must not do to others, step by step: a server goes to the next one only when
// nothing of the last one can reach it any more.
#include "forebay/proxy/client_flow.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/pool/admission.hpp"
#include "proxy_flow/flow_world.hpp"
#include "support/captured_log.hpp"

namespace forebay::proxy {
namespace {

using namespace test::words;

RouteOptions with_limits(const std::function<void(ClientLimits&)>& change) {
  RouteOptions options;
  change(options.limits);
  return options;
}

Task<bool> said(FakeWireServer& server, std::string bytes) {
  co_await server.say(std::move(bytes));
  co_return true;
}

std::string copy_data(std::size_t size) {
  std::string out;
  wire::write_copy_data(out, std::string(size, 'x'));
  return out;
}

// Places of the rate that are a while ahead.
class LatePermits final : public PermitSource {
 public:
  explicit LatePermits(FlowWorld*& world) : world_(world) {}
  Task<Result<Instant>> reserve(Instant) override {
    ++taken;
    co_return world_ == nullptr ? Instant() : world_->links.in(wait);
  }
  void give_back(Instant) override { ++given_back; }

  Duration wait{};
  int taken = 0;
  int given_back = 0;

 private:
  FlowWorld*& world_;
};

TEST(ClientFlowTest, WhatIsRefusedKeepsNoServer) {
  RouteOptions options;
  options.rules.on_session_state = OnSessionState::refuse;
  FlowWorld world(1, options);
  const auto client = world.client(), other = world.client();

  EXPECT_TRUE(world.query(*client, "LISTEN news").starts_with("ERROR 0A000"));
  EXPECT_EQ(world.lent(), 0);
  EXPECT_EQ(world.query(*other, "SELECT 1"), "[OK], Ready I");
  const std::string refused = world.links.run(client->ask(parse("", "LISTEN news") + sync()));
  EXPECT_TRUE(refused.starts_with("ERROR 0A000")) << refused;
  EXPECT_EQ(world.lent(), 0);
}

// Its configuration was read again, say, while nobody used it.
TEST(ClientFlowTest, AServerThatChangedByItselfIsMadeToFitAgain) {
  FlowWorld world(1);
  const auto client = world.client();
  EXPECT_EQ(world.query(*client, "SELECT 1"), "[OK], Ready I");
  std::string news;
  wire::write_parameter_status(news, "TimeZone", "CET");
  std::optional<bool> is_said;
  world.links.begin(said(world.links.server, news), is_said);
  world.pass(100ms);

  EXPECT_EQ(world.query(*client, "SELECT 2"), "[OK], Ready I");
  EXPECT_THAT(world.links.server.statements,
              testing::ElementsAre("SELECT 1", "RESET \"timezone\";", "SELECT 2"));
}

// As after an upgrade. What the old one made of a wish is forgotten, too.
TEST(ClientFlowTest, WhoComesHearsWhatServersSayOfThemselvesNow) {
  FlowWorld world(1);
  std::string wish;
  wire::write_startup(wish, wire::kVersion30,
                      std::vector<std::pair<std::string_view, std::string_view>>{
                          {"user", "app"}, {"database", "inn"}, {"TimeZone", "utc"}});
  const auto first = world.caller(), second = world.caller(), third = world.caller();
  EXPECT_THAT(world.links.run(first->log_in()), testing::HasSubstr("15.0 (fake)"));
  EXPECT_THAT(world.links.run(second->ask(wish)), testing::HasSubstr("15.0 (fake)"));
  world.links.server.version = "16.0 (fake)";
  world.query(*first, "die");
  EXPECT_EQ(world.query(*second, "SELECT 1"), "[OK], Ready I");
  const std::size_t before = world.links.server.statements.size();

  EXPECT_THAT(world.links.run(third->ask(wish)), testing::HasSubstr("16.0 (fake)"));
  EXPECT_GT(world.links.server.statements.size(), before);
  EXPECT_THAT(world.links.run(world.caller()->log_in()), testing::HasSubstr("16.0 (fake)"));
}

// The server says what is wrong with the data, and reads the rest of it later.
TEST(ClientFlowTest, ACopyThatFailsIsWrittenToItsEndBeforeOthersHaveTheServer) {
  for (const std::size_t size : {std::size_t{100}, std::size_t{200'000}}) {
    FlowWorld world(1);
    const auto copier = world.client(), other = world.client();
    ASSERT_EQ(world.query(*other, "SELECT 1"), "[OK], Ready I");
    std::string copy = query("COPY bad");
    while (copy.size() < 200'000) copy += copy_data(copy.size() < 1'000 ? 10 : size);
    std::optional<std::string> copied, answered;
    world.links.begin(copier->ask(copy), copied);
    world.pass(100ms);
    world.links.begin(other->ask(query("SELECT 3")), answered);
    world.pass(10s);

    EXPECT_EQ(copied, "CopyInResponse, ERROR 22P02 [invalid input syntax], Ready I") << size;
    EXPECT_EQ(answered, "[OK], Ready I") << size;
    EXPECT_EQ(world.lent(), 0) << size;
  }
}

TEST(ClientFlowTest, ACancelThatMayStillComeMeetsNobodyElse) {
  FlowWorld world(1, with_limits([](ClientLimits& limits) {
                    limits.cancel = 300ms;
                    limits.query = 100ms;
                  }));
  const auto client = world.client(), other = world.client();
  world.links.server.is_cancel_slow = true;  // it takes a second

  EXPECT_EQ(world.query(*client, "nap"), "[OK], Ready I");
  std::optional<std::string> answered;
  world.links.begin(other->ask(query("nap")), answered);
  world.pass(10s);

  EXPECT_EQ(answered, "[OK], Ready I");
  EXPECT_GT(world.links.server.startups.size(), 1u);
}

// Whoever it is that cancels: the client, or its limit. The connect took the first permit.
TEST(ClientFlowTest, ACancelTakesAPermit) {
  FlowWorld* there = nullptr;
  LatePermits permits(there);
  FlowWorld world(1, with_limits([](ClientLimits& limits) { limits.query = 700ms; }), &permits);
  there = &world;
  const auto client = world.client();
  ASSERT_EQ(permits.taken, 1);

  EXPECT_EQ(world.query(*client, "sleep"), "ERROR 57014 [canceling statement], Ready I");

  EXPECT_EQ(world.links.server.cancels, 1);
  EXPECT_EQ(permits.taken, 2);
}

// Nor does the answer, nor the next statement, nor the next client.
TEST(ClientFlowTest, NobodyWaitsForThePermitOfACancelThatIsNeedless) {
  FlowWorld* there = nullptr;
  LatePermits permits(there);
  FlowWorld world(1, with_limits([](ClientLimits& limits) { limits.query = 100ms; }), &permits);
  there = &world;
  const auto client = world.client(), other = world.client();
  permits.wait = 5s;
  const Instant begun = world.links.scheduler.now();

  EXPECT_EQ(world.query(*client, "nap"), "[OK], Ready I");
  EXPECT_EQ(world.query(*other, "SELECT 1"), "[OK], Ready I");
  EXPECT_EQ(world.query(*client, "SELECT 2"), "[OK], Ready I");

  EXPECT_LT(world.links.scheduler.now() - begun, 600ms);
  EXPECT_EQ(world.links.server.cancels, 0);
  EXPECT_EQ(permits.given_back, 1);
}

TEST(ClientFlowTest, AStatementGoesOnIfItsCancelHasNoPlaceInTheRate) {
  const test::CapturedLog log;
  FlowWorld* there = nullptr;
  LatePermits permits(there);
  FlowWorld world(1, with_limits([](ClientLimits& limits) {
                    limits.query = 100ms;
                    limits.cancel = 200ms;
                  }),
                  &permits);
  there = &world;
  const auto client = world.client();
  permits.wait = 5s;

  EXPECT_EQ(world.query(*client, "nap"), "[OK], Ready I");

  EXPECT_EQ(world.links.server.cancels, 0);
  EXPECT_EQ(log.count("Cancel not passed on"), 1u);
}

TEST(ClientFlowTest, EachStatementHasItsOwnTime) {
  FlowWorld world(1, with_limits([](ClientLimits& limits) { limits.query = 700ms; }));
  const auto client = world.client();

  EXPECT_EQ(world.links.run(client->ask(query("nap") + query("nap") + query("nap"), 3)),
            "[OK], Ready I, [OK], Ready I, [OK], Ready I");
  EXPECT_EQ(world.query(*client, "BEGIN"), "[OK], Ready T");
  for (int i = 0; i < 2; ++i) {
    std::optional<std::string> answered;
    world.links.begin(client->ask(query("sleep")), answered);
    world.pass(2s);
    EXPECT_EQ(answered, "ERROR 57014 [canceling statement], Ready T") << i;
    world.links.server.cancelled.clear();
  }
}

TEST(ClientFlowTest, WhoIsSilentOutsideATransactionMayStay) {
  RouteOptions options = with_limits([](ClientLimits& limits) { limits.idle_in_transaction = 1s; });
  options.rules.pooling = Pooling::session;
  FlowWorld world(1, options);
  const auto client = world.client();

  EXPECT_EQ(world.query(*client, "SELECT 1"), "[OK], Ready I");
  world.pass(5s);
  EXPECT_EQ(world.query(*client, "BEGIN"), "[OK], Ready T");
  world.pass(5s);
  EXPECT_EQ(world.links.run(client->ask("")),
            "FATAL 25P03 [terminating connection due to idle-in-transaction timeout]gone");
}

TEST(ClientFlowTest, WhoVanishesInTheMiddleOfAMessageLetsGoAtOnce) {
  for (const bool is_in_copy : {true, false}) {
    FlowWorld world(1);
    const auto client = world.client(), other = world.client();
    std::string said = parse("s", "SELECT $1") + std::string("B\0\0\xff\xff\0s\0\0\0", 10);
    if (is_in_copy) said = query("COPY") + copy_data(100).substr(0, 60);
    std::optional<std::string> heard, answered;
    world.links.begin(client->ask(said, 0), heard);
    world.pass(100ms);
    ASSERT_EQ(world.lent(), 1);
    client->hang_up();
    world.links.begin(other->ask(query("SELECT 1")), answered);
    world.pass(1s);

    EXPECT_EQ(answered, "[OK], Ready I") << is_in_copy;
  }
}

TEST(ClientFlowTest, WhoHangsUpLeavesTheLineWhateverItSentAhead) {
  FlowWorld world(1);
  const auto holder = world.client(), waiter = world.client();
  ASSERT_EQ(world.query(*holder, "BEGIN"), "[OK], Ready T");
  std::optional<std::string> heard;
  world.links.begin(waiter->ask(query("SELECT 1"), 0), heard);
  world.pass(100ms);
  EXPECT_EQ(world.proxy.statistics().clients().waiting, 1);
  heard.reset();
  world.links.begin(waiter->ask(query(std::string(5'000, 'x')), 0), heard);
  world.pass(100ms);
  waiter->hang_up();
  world.pass(100ms);

  EXPECT_EQ(world.proxy.statistics().clients().waiting, 0);
  EXPECT_EQ(world.proxy.statistics().clients().clients, 1);
}

TEST(ClientFlowTest, NobodyIsWaitedForAtTheDoor) {
  FlowWorld world(1);
  world.links.network.set_reachable(LinkWorld::db(), false);
  for (const auto& wire : world.links.network.wires()) wire->cut();
  const auto one = world.caller(), other = world.caller();
  std::optional<std::string> heard;
  world.links.begin(one->log_in(), heard);
  world.pass(100ms);
  EXPECT_EQ(world.proxy.statistics().clients().waiting, 1);
  one->hang_up();
  world.pass(100ms);
  EXPECT_EQ(world.proxy.statistics().clients().waiting, 0);

  std::optional<std::string> told;
  world.links.begin(other->log_in(), told);
  world.pass(100ms);
  const Instant before = world.links.in(0s);
  world.close(200ms);
  EXPECT_LT(world.links.in(0s) - before, 30s);  // a session that was just opening has its time
  world.pass(1s);
  EXPECT_EQ(told, "gone");
}

TEST(ClientFlowTest, AProxyEndsThoughClientsStandInLine) {
  FlowWorld world(1,
                  with_limits([](ClientLimits& limits) { limits.query_wait = Duration::max(); }));
  const auto client = world.client();
  world.links.network.set_reachable(LinkWorld::db(), false);
  for (const auto& wire : world.links.network.wires())
    if (wire != world.links.network.wires().front()) wire->cut();
  std::optional<std::string> heard;
  world.links.begin(client->ask(query("SELECT 1")), heard);
  world.pass(1s);
  ASSERT_EQ(world.proxy.statistics().clients().waiting, 1);
  world.close(100ms);
  world.pass(1s);

  EXPECT_EQ(heard, "gone");
}

TEST(ClientFlowTest, WhoNeverIntroducesItselfHearsSo) {
  const test::CapturedLog log(log::Level::warning);
  FlowWorld world(1);
  const auto silent = world.caller(), in_tls = world.caller();
  const std::string heard = world.links.run(in_tls->ask("\x16\x03\x01 and so on"));
  EXPECT_TRUE(heard.starts_with("FATAL 08P01")) << heard;
  EXPECT_EQ(world.links.run(silent->ask("")),
            "FATAL 57014 [canceling authentication due to timeout]gone");

  EXPECT_EQ(log.values("Client refused", "sqlstate"), (std::vector<std::string>{"08P01", "57014"}));
  EXPECT_EQ(world.proxy.statistics().clients().refused, 2u);
}

TEST(ClientFlowTest, AViolationIsLoggedAndCostsNoServer) {
  const test::CapturedLog log(log::Level::warning);
  FlowWorld world(1);
  const auto client = world.client();
  const std::string malformed("P\0\0\0\5x", 6);
  const std::string heard = world.links.run(client->ask(query("SELECT 1") + malformed, 2));
  EXPECT_TRUE(heard.starts_with("FATAL 08P01")) << heard;
  EXPECT_TRUE(heard.ends_with("gone"));
  world.pass(2s);

  EXPECT_EQ(log.values("Client refused", "sqlstate"), (std::vector<std::string>{"08P01"}));
  EXPECT_EQ(world.links.server.startups.size(), 1u);
  EXPECT_EQ(world.lent(), 0);
}

// What it does not read is not kept for it for ever.
TEST(ClientFlowTest, WhoReadsNothingIsSentAway) {
  const test::CapturedLog log(log::Level::warning);
  FlowWorld world(1, with_limits([](ClientLimits& limits) { limits.client_write = 10s; }));
  const auto deaf = world.client(), other = world.client();
  std::string much;
  for (int i = 0; i < 10; ++i) much += query("rows");
  std::optional<std::string> heard, answered;
  world.links.begin(deaf->ask(much, 0), heard);
  world.pass(1s);
  EXPECT_EQ(world.lent(), 1);
  world.links.begin(other->ask(query("SELECT 1")), answered);
  world.pass(30s);

  EXPECT_EQ(world.proxy.statistics().clients().clients, 1);
  EXPECT_EQ(world.query(*other, "SELECT 2"), "[OK], Ready I");
  EXPECT_EQ(log.values("Client refused", "sqlstate"), (std::vector<std::string>{"08006"}));
}

}  // namespace
}  // namespace forebay::proxy
