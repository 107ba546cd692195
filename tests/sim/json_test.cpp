#include "forebay/sim/result/json.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_result.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(ResultJsonTest, AnEmptyResultIsAnObjectWithEveryKey) {
  EXPECT_EQ(
      result_json(RunResult()),
      R"({"scenario":"","description":"","seed":0,"trace_hash":"0000000000000000","events":0,)"
      R"("duration_seconds":0,"sample_seconds":0,"holds":true,"connects_per_second":0,)"
      R"("connect_burst":0,"max_connections":null,"most_sessions":0,)"
      R"("most_connects_in_a_second":0,"conflicts":0,)"
      R"("callers":{"started":0,"completed":0,"failed":0,"timeouts":0},"clients":null,)"
      R"("wait_seconds":{"count":0,"p50":0,"p90":0,"p99":0,"p99_9":0,"longest":0},)"
      R"("assertions":[],"faults":[],"broken_promise":null,"services":[],)"
      R"("replay":""})"
      "\n");
}

TEST(ResultJsonTest, NumbersAreWholeAndTimesAreSeconds) {
  RunResult result;
  result.seed = std::numeric_limits<std::uint64_t>::max();
  result.trace_hash = 0xabc;
  result.duration = 90'250ms;
  result.max_connections = 300;
  result.connects_per_second = 12.5;
  result.waits = WaitPercentiles{7, 1ns, 2us, 3ms, 4s, 5min};
  const std::string json = result_json(result);

  EXPECT_THAT(json, HasSubstr(R"("seed":18446744073709551615,"trace_hash":"0000000000000abc")"));
  EXPECT_THAT(json, HasSubstr(R"("duration_seconds":90.25,)"));
  EXPECT_THAT(json, HasSubstr(R"("max_connections":300)"));
  EXPECT_THAT(json, HasSubstr(R"("connects_per_second":12.5)"));
  EXPECT_THAT(json, HasSubstr(R"({"count":7,"p50":0.000000001,"p90":0.000002,"p99":0.003,)"
                              R"("p99_9":4,"longest":300})"));
}

TEST(ResultJsonTest, ADatabaseWithoutALimitHasNull) {
  RunResult result;
  result.connects_per_second = std::numeric_limits<double>::infinity();

  EXPECT_THAT(result_json(result), HasSubstr(R"("connects_per_second":null)"));
}

TEST(ResultJsonTest, VerdictsFaultsAndABrokenPromiseAreThere) {
  RunResult result;
  result.assertions = {{"assertMaxTimeouts", false, "at most 5", "6", 3s, {"a-1", "a-2"}},
                       {"assertWait", true, "p99", "1 ms", std::nullopt}};
  result.faults = {{5s, 7s, "crash", "\"a\"", 2500ms}};
  result.broken_promise = BrokenPromise{4, "leases", 8s, 99, "a-1", "line\nline"};
  const std::string json = result_json(result);

  EXPECT_THAT(json, HasSubstr(R"("holds":false)"));
  EXPECT_THAT(json,
              HasSubstr(R"([{"name":"assertMaxTimeouts","holds":false,"expected":"at most 5",)"
                        R"("seen":"6","when_seconds":3,"processes":["a-1","a-2"]},)"
                        R"({"name":"assertWait","holds":true,"expected":"p99","seen":"1 ms",)"
                        R"("when_seconds":null,"processes":[]}])"));
  EXPECT_THAT(json, HasSubstr(R"([{"kind":"crash","text":"\"a\"","at_seconds":5,)"
                              R"("until_seconds":7,"recovered_after_seconds":2.5}])"));
  EXPECT_THAT(json, HasSubstr(R"({"promise":4,"what":"leases","when_seconds":8,"event":99,)"
                              R"("process":"a-1","state":"line\u000aline"})"));
}

TEST(ResultJsonTest, AServiceHasItsFinalCountersAndDiscardsByReason) {
  RunResult result;
  ServiceResult service;
  service.name = "history";
  service.target = 50;
  service.converged_after = 2s;
  service.end = ProcessEnd::not_started;
  service.samples.resize(2);
  service.samples[0].acquired = 1;
  Sample& end = service.samples[1];
  end.acquired = 10;
  end.empty_events = 2;
  end.timeouts = 1;
  end.is_up = true;
  end.work_started = 11;
  end.work_completed = 8;
  end.work_failed = 3;
  end.discards[static_cast<std::size_t>(DiscardReason::replaced)] = 4;
  result.services = {service};
  const std::string json = result_json(result);

  EXPECT_THAT(json, HasSubstr(R"({"name":"history","target":50,"converged_after_seconds":2,)"));
  EXPECT_THAT(json, HasSubstr(R"("up":true,"end":"not_started","acquired":10,"empty_events":2,)"));
  EXPECT_THAT(json, HasSubstr(R"("work_started":11,"work_completed":8,"work_failed":3,)"));
  EXPECT_THAT(json, HasSubstr(R"("callers":{"started":11,"completed":8,"failed":3,"timeouts":1})"));
  EXPECT_THAT(json, HasSubstr(R"("reservoir_full":0,"replaced":4,"idle":0,)"));
}

TEST(ResultJsonTest, ClientsOfProxiesAreToldOfEachAndOfAll) {
  RunResult result;
  result.services.resize(3);
  result.services[0].clients.emplace();
  result.services[0].clients->clients = 4;
  result.services[0].clients->lost = 1;
  result.services[2].clients = result.services[0].clients;
  result.services[2].clients->pins = 5;
  const std::string json = result_json(result);

  EXPECT_THAT(json, HasSubstr(R"("clients":{"clients":8,"log_ins":0,"units":0,"unserved":0,)"
                              R"("cancelled":0,"lost":2,"stays":0,"pins":5},"wait_seconds")"));
  EXPECT_THAT(json, HasSubstr(R"("clients":{"clients":4,"log_ins":0,"units":0,"unserved":0,)"
                              R"("cancelled":0,"lost":1,"stays":0,"pins":0})"));
  EXPECT_THAT(json, HasSubstr(R"("clients":null)"));
}

TEST(ResultJsonTest, IsOneLineWithoutTheTimeSeries) {
  const std::string json = result_json(sample_result(44));

  EXPECT_EQ(json.find('\n'), json.size() - 1);
  EXPECT_LT(json.size(), 60'000U);
}

}  // namespace
}  // namespace forebay::sim
