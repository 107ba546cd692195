#include "forebay/coordination/rate/rate_window.hpp"

#include <map>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "forebay/coordination/memory_store.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNow{24h};

RateLimits per_second(double rate) {
  RateLimits limits;
  limits.connects_per_second = rate;
  limits.mode = RateMode::window;
  return limits;
}

TakeRequest request(int wanted, WallTime now, Duration notice = {}) {
  return TakeRequest(RequestToken{1, 1}, wanted, now, notice);
}

TEST(RateWindowTest, PlacesAreSpreadOverWhatIsLeftOfTheSecond) {
  const RateWindow window(per_second(20));
  const TakeRequest wish = request(50, kNow + 500ms, 100ms);
  const auto ask = window.ask(wish);
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->second, 24 * 3600);
  EXPECT_EQ(ask->places, 5);  // a quarter, so that one request does not take all
  EXPECT_EQ(ask->most, 5);    // at most none are taken then: of fewer, five are too many

  const TakeReply reply = window.grant(wish, *ask);
  EXPECT_EQ(reply.granted, 5);
  EXPECT_EQ(reply.start(0), kNow + 600ms);
  EXPECT_EQ(reply.start(1), kNow + 680ms);
  EXPECT_EQ(reply.start(4), kNow + 920ms);
}

TEST(RateWindowTest, AFullSecondIsNotAskedAndOfTheNextOnlyHalfIsGivenOut) {
  RateWindow window(per_second(16));
  const std::int64_t second = 24 * 3600;
  window.note(second, 15);
  EXPECT_EQ(window.ask(request(5, kNow))->places, 1);
  window.note(second, 16);

  const auto next = window.ask(request(5, kNow + 300ms));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->second, second + 1);
  EXPECT_EQ(next->places, 2);
  EXPECT_EQ(next->most, 2);
  EXPECT_EQ(window.grant(request(5, kNow + 300ms), *next).start(1), kNow + 1500ms);

  window.note(second + 1, 8);
  const TakeRequest wish = request(5, kNow + 300ms, 50ms);
  EXPECT_FALSE(window.ask(wish));
  EXPECT_EQ(window.refuse(wish).retry_at, kNow + 950ms);
  // When it begins, the rest of it is there.
  EXPECT_EQ(window.ask(request(5, kNow + 950ms, 50ms))->places, 2);
}

TEST(RateWindowTest, CountsOnlyGrowAndOldSecondsAreForgotten) {
  RateWindow window(per_second(8));
  window.note(7, 5);
  window.note(7, 3);
  EXPECT_EQ(window.count(7), 5);
  for (std::int64_t second = 100; second < 1099; ++second) window.note(second, 1);
  EXPECT_EQ(window.count(7), 5);
  window.note(1099, 1);
  EXPECT_EQ(window.count(7), 0);
  EXPECT_EQ(window.count(100), 1);
}

TEST(RateWindowProperty, NoClockSecondHasMorePlacesThanTheLimitWhateverClocksSay) {
  EXPECT_TRUE(rc::check([] {
    const int limit = *rc::gen::inRange(1, 60);
    MemoryCoordination model(per_second(limit));
    std::map<std::int64_t, int> starts;
    WallTime now = kNow;
    const int requests = *rc::gen::inRange(1, 80);
    for (int i = 0; i < requests; ++i) {
      now += std::chrono::milliseconds(*rc::gen::inRange(0, 300));
      const Duration skew = std::chrono::milliseconds(*rc::gen::inRange(-600'000, 600'000));
      const Duration notice = std::chrono::milliseconds(*rc::gen::inRange(0, 1500));
      const bool is_skewed = *rc::gen::inRange(0, 3) == 0;
      const WallTime told = is_skewed ? now + skew : now;
      const RequestToken token{0, static_cast<std::uint64_t>(i)};
      const TakeReply reply =
          model.take(TakeRequest(token, *rc::gen::inRange(1, 64), told, notice));
      RC_ASSERT(reply.granted > 0 || reply.retry_at >= told);
      for (int place = 0; place < reply.granted; ++place) {
        RC_ASSERT(reply.start(place) >= told + notice);
        RC_ASSERT(reply.start(place) < told + notice + 2s);
        ++starts[std::chrono::floor<std::chrono::seconds>(reply.start(place)).time_since_epoch() /
                 1s];
      }
    }
    for (const auto& [second, count] : starts) RC_ASSERT(count <= limit);
  }));
}

}  // namespace
}  // namespace forebay::test
