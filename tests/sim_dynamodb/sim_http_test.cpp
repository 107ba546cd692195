// The network between simulated processes and the simulated DynamoDB, fault by fault.
#include "forebay/sim/dynamodb/sim_http.hpp"

#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "support/dynamodb_requests.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using sim::dynamodb::Network;
using sim::dynamodb::NetworkFaults;
using sim::dynamodb::SimHttp;

class SimHttpTest : public testing::Test {
 protected:
  // Adds one to item "a", and notes what was heard, and when.
  class Heard {
   public:
    Heard() = default;
    std::optional<Result<HttpResponse>> response;
    Instant at{};
  };
  static Task<void> send(SimHttp& http, const sim::SimScheduler& scheduler, HttpRequest request,
                         Instant deadline, Heard& heard) {
    heard.response = co_await http.send(std::move(request), deadline);
    heard.at = scheduler.now();
  }
  HttpRequest add_one() {
    return signed_request("UpdateItem",
                          R"({"TableName":"leases","Key":{"pk":{"S":"a"}},"UpdateExpression":)"
                          R"("ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}})",
                          kServiceStart + scheduler_.now().time_since_epoch());
  }
  void start(SimHttp& http, Heard& heard, Duration timeout = 1s) {
    start_detached(scheduler_,
                   send(http, scheduler_, add_one(), scheduler_.now() + timeout, heard));
  }
  Heard ask(SimHttp& http) {
    Heard heard;
    start(http, heard);
    scheduler_.run();
    return heard;
  }
  std::int64_t count() const {
    const aws::Item* item = world_.tables.find("leases", "a");
    return item == nullptr ? 0 : *aws::integer_at(*item, "n");
  }

  sim::SimScheduler scheduler_;
  DynamoWorld world_;
};

TEST_F(SimHttpTest, ARequestTakesItsTimeThereAndBack) {
  NetworkFaults faults;
  faults.fastest = 10ms;
  faults.slowest = 10ms;
  Network network(world_.service, kServiceStart, 1, faults);
  SimHttp http(network, scheduler_);
  Heard heard;
  start(http, heard);
  scheduler_.run_until(Instant(4ms));
  EXPECT_EQ(count(), 0);
  scheduler_.run_until(Instant(6ms));
  EXPECT_EQ(count(), 1);
  scheduler_.run();

  ASSERT_TRUE(heard.response->has_value());
  EXPECT_EQ((*heard.response)->status, 200);
  EXPECT_EQ(heard.at, Instant(10ms));
}

TEST_F(SimHttpTest, WhoIsCutOffHearsNothingAndDoesNothing) {
  Network network(world_.service, kServiceStart, 1);
  SimHttp http(network, scheduler_);
  http.set_cut(true);
  const Heard heard = ask(http);
  EXPECT_EQ(heard.response->error().code(), Errc::timed_out);
  EXPECT_EQ(heard.at, Instant(1s));
  EXPECT_EQ(count(), 0);
}

TEST_F(SimHttpTest, ADynamoDbThatIsAwayIsNotedAtOnce) {
  Network network(world_.service, kServiceStart, 1);
  SimHttp http(network, scheduler_);
  network.set_away(true);
  const Heard heard = ask(http);
  EXPECT_EQ(heard.response->error().code(), Errc::connect_failed);
  EXPECT_EQ(heard.at, Instant());
  network.set_away(false);
  EXPECT_TRUE(ask(http).response->has_value());
  EXPECT_EQ(count(), 1);
}

TEST_F(SimHttpTest, AThrottledRequestIsAnsweredAndNotDone) {
  NetworkFaults faults;
  faults.throttled = 1;
  Network network(world_.service, kServiceStart, 1, faults);
  SimHttp http(network, scheduler_);
  const Heard heard = ask(http);
  ASSERT_TRUE(heard.response->has_value());
  EXPECT_EQ((*heard.response)->status, 400);
  EXPECT_EQ(count(), 0);
}

TEST_F(SimHttpTest, ALostReplyIsSilenceAResetAnErrorOrADelay) {
  NetworkFaults faults;
  faults.lost_replies = 1;
  Network network(world_.service, kServiceStart, 7, faults);
  int arrivals = 0;
  network.set_on_answer([&arrivals](int, Instant, const HttpResponse&) { ++arrivals; });
  SimHttp http(network, scheduler_);
  std::map<std::string, int> seen;
  for (int i = 0; i < 200; ++i) {
    const int before = arrivals;
    const Heard heard = ask(http);
    const bool is_done = arrivals > before;
    std::string what = heard.response->has_value()
                           ? std::to_string((*heard.response)->status)
                           : std::string(name(heard.response->error().code()));
    ++seen[what + (is_done ? " done" : " not yet")];
  }
  EXPECT_EQ(seen.size(), 4u);
  for (const char* what :
       {"timed_out done", "timed_out not yet", "connection_lost done", "500 done"})
    EXPECT_GT(seen[what], 20) << what;
  // Those that were late have come all but the last ones, each once.
  EXPECT_EQ(count(), arrivals);
  EXPECT_GE(arrivals, 190);
}

TEST_F(SimHttpTest, ADeadProcessSendsNothingAndHearsNothing) {
  NetworkFaults faults;
  faults.fastest = 100ms;
  faults.slowest = 100ms;
  int arrived = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Network network(world_.service, kServiceStart, seed, faults);
    SimHttp http(network, scheduler_);
    const std::int64_t before = count();
    Heard heard;
    start(http, heard);
    scheduler_.run_for(10ms);
    http.die();
    scheduler_.settle();
    ASSERT_TRUE(heard.response.has_value());
    EXPECT_FALSE(heard.response->has_value());
    arrived += static_cast<int>(count() - before);
    EXPECT_EQ(ask(http).response->error().code(), Errc::closed);
  }
  // What was on its way arrives, or does not.
  EXPECT_GT(arrived, 3);
  EXPECT_LT(arrived, 17);
}

}  // namespace
}  // namespace forebay::test
