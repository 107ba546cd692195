// The model in memory: its counter adds up, and its places keep the rate in every window.
#include "forebay/coordination/memory_store.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

TEST(MemoryCoordinationTest, ATokenIsRememberedForTenMinutes) {
  MemoryCoordination model(RateLimits{10, 2, 1s});
  const WallTime start{24h};
  const TakeReply first = model.take(TakeRequest(RequestToken{1, 1}, 2, start, 0s));

  const TakeReply again = model.take(TakeRequest(RequestToken{1, 1}, 2, start + 10min, 0s));
  EXPECT_EQ(again.start(0), first.start(0));
  EXPECT_EQ(model.places(), 2u);
  const TakeReply late = model.take(TakeRequest(RequestToken{1, 1}, 2, start + 10min + 1ns, 0s));
  EXPECT_GE(late.start(0), start + 10min);
  EXPECT_EQ(model.places(), 4u);
}

TEST(MemoryCoordinationProperty, TheCounterIsTheSumOfTheLeasesAndNeverAboveTheLimit) {
  EXPECT_TRUE(rc::check([] {
    MemoryCoordination model;
    const int limit = *rc::gen::inRange(1, 30);
    const int steps = *rc::gen::inRange(1, 100);
    for (int i = 0; i < steps; ++i) {
      const std::string id(1, static_cast<char>('a' + *rc::gen::inRange(0, 4)));
      const auto sequence = static_cast<std::uint64_t>(*rc::gen::inRange(1, 8));
      const int count = *rc::gen::inRange(1, 10);
      switch (*rc::gen::inRange(0, 4)) {
        case 0: model.acquire(AcquireRequest(LeaseChange(id, sequence, count), limit)); break;
        case 1: model.release(ReleaseRequest(LeaseChange(id, sequence, count), {})); break;
        case 2: model.renew(RenewRequest(id, {})); break;
        default: model.reap(ReapRequest(id, sequence, {}));
      }
      RC_ASSERT(model.active() == model.held_in_all());
      RC_ASSERT(model.active() >= 0 && model.active() <= limit);
    }
  }));
}

// Callers with clocks and notice of their own: it is the places that count, not who asked when.
TEST(MemoryCoordinationProperty, PlacesKeepTheRateInEveryWindow) {
  EXPECT_TRUE(rc::check([] {
    const int rate = *rc::gen::inRange(1, 200);
    const int burst = *rc::gen::inRange(1, 50);
    MemoryCoordination model(RateLimits{static_cast<double>(rate), burst, 1s});
    std::vector<WallTime> starts;
    WallTime now{24h};
    const int requests = *rc::gen::inRange(1, 60);
    for (int i = 0; i < requests; ++i) {
      now += std::chrono::milliseconds(*rc::gen::inRange(0, 300));
      const Duration skew = std::chrono::milliseconds(*rc::gen::inRange(-2000, 2000));
      const Duration notice = std::chrono::milliseconds(*rc::gen::inRange(0, 1500));
      const RequestToken token{0, static_cast<std::uint64_t>(i)};
      const TakeReply reply =
          model.take(TakeRequest(token, *rc::gen::inRange(1, 64), now + skew, notice));
      for (int place = 0; place < reply.granted; ++place) starts.push_back(reply.start(place));
    }
    std::sort(starts.begin(), starts.end());
    const auto most = static_cast<std::size_t>(burst);
    const auto interval = Duration(1s) / rate;
    for (std::size_t from = 0; from < starts.size(); ++from) {
      for (std::size_t to = from + most; to < starts.size(); ++to) {
        const auto paid = static_cast<std::int64_t>(to - from + 1 - most);
        RC_ASSERT(starts[to] - starts[from] >= paid * interval);
      }
    }
  }));
}

}  // namespace
}  // namespace forebay::test
