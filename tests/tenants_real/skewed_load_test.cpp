// Hundreds of databases through a hundred connections, some used all the time and most now and
// then.
//
// FOREBAY_TENANT_DATABASES=2000 FOREBAY_TENANT_SECONDS=60 is the full size: it takes five minutes
// and 16 GB of disk.
#include <cmath>
#include <cstdlib>

#include "forebay/core/latency_histogram.hpp"
#include "forebay/env/random.hpp"
#include "tenants_real/tenants_fixture.hpp"

namespace forebay::test {
namespace {

constexpr int kHot = 10;  // tenants w-1 to w-10
constexpr int kHotThreads = 10;
constexpr int kColdThreads = 20;
constexpr Duration kPatience = 60s;  // a busy disk may hold up new sessions for long

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

// What the test itself knows of a tenant, beside what its pool says.
struct Touches {
  std::atomic<int> callers = 0;                    // from the question to giving back
  std::atomic<std::int64_t> last_nanoseconds = 0;  // when one of them last began or ended
};

class SkewedLoadTest : public TenantsFixture {
 protected:
  const int databases_ = from_environment("FOREBAY_TENANT_DATABASES", kIsSanitized ? 60 : 150);
  const int seconds_ = from_environment("FOREBAY_TENANT_SECONDS", 0);
  const Duration length_ = seconds_ > 0 ? Duration(std::chrono::seconds(seconds_)) : load_time(30s);
  std::vector<Touches> touches_ = std::vector<Touches>(static_cast<std::size_t>(databases_) + 1);
  std::atomic<int> served_ = 0;
  std::atomic<int> failed_ = 0;
  std::atomic<int> given_up_ = 0;  // by their own deadline
  std::atomic<int> evictions_ = 0;
  std::atomic<int> out_of_order_ = 0;

  Instant now() { return runtime.scheduler().now(); }

  // Popularity falls with the square of chance: the last tenants are a thousand times as rare as
  // the first.
  int draw_cold(Random& random) const {
    const double chance = static_cast<double>(random.below(1'000'000)) / 1e6;
    const int cold = databases_ - kHot;
    return kHot + 1 + static_cast<int>(std::pow(chance, 3) * cold);
  }

  void request(int number, LatencyHistogram& waits) {
    Touches& touches = touches_[static_cast<std::size_t>(number)];
    touch(touches, +1);
    const Instant asked = now();
    Result<PooledSession> session = tenants->acquire_blocking(workspace(number), kPatience);
    waits.record(now() - asked);
    if (!session) {
      ++(now() - asked >= kPatience ? given_up_ : failed_);
      ADD_FAILURE() << session.error().text();
    } else if (!(*session)->exec_blocking("SELECT count(*) FROM pg_class", 30s)) {
      ++failed_;
    } else {
      ++served_;
    }
    if (session) session->give_back();
    touch(touches, -1);
  }
  void touch(Touches& touches, int change) {
    touches.last_nanoseconds = now().time_since_epoch().count();
    touches.callers += change;
  }

  // No other tenant with a connection has been left alone since before the evicted one was last
  // used. On the runtime's thread, while others go on: a tenth of a second is left to them.
  void check_recency(const TenantEviction& evicted) {
    ++evictions_;
    const Instant before = evicted.last_used - 100ms;
    for (const TenantStatistics& other : tenants->statistics().by_tenant) {
      if (other.open == 0 || other.last_used >= before) continue;
      const Touches& touches =
          touches_[std::stoul(other.tenant.substr(other.tenant.find('-') + 1))];
      if (touches.callers == 0 && touches.last_nanoseconds < before.time_since_epoch().count())
        ++out_of_order_;
    }
  }

  void run_hot(LatencyHistogram& waits, Duration length) {
    Load hot = hot_load(waits);
    std::this_thread::sleep_for(length);
  }
  Load hot_load(LatencyHistogram& waits) {
    return Load(kHotThreads, [this, &waits](int thread) {
      request(thread % kHot + 1, waits);
      std::this_thread::sleep_for(2ms);
    });
  }
};

TEST_F(SkewedLoadTest, HundredsOfDatabasesThroughAHundredConnections) {
  TenantOptions options = options_of(100, 3);
  options.on_evicted = [this](const TenantEviction& evicted) { check_recency(evicted); };
  launch_for(options);
  const Instant began = now();
  make_databases(databases_);
  const Duration making = now() - began;
  open(options);
  SessionWatch watch([this] { return sessions(); });

  LatencyHistogram warming;
  run_hot(warming, length_ / 8);
  LatencyHistogram alone;
  run_hot(alone, length_ / 4);
  LatencyHistogram mixed;
  LatencyHistogram cold_waits;
  std::vector<SeededRandom> chances;
  for (std::uint64_t i = 1; i <= kColdThreads; ++i) chances.emplace_back(i);
  {
    Load hot = hot_load(mixed);
    Load cold(kColdThreads, [&](int thread) {
      request(draw_cold(chances[static_cast<std::size_t>(thread)]), cold_waits);
      std::this_thread::sleep_for(20ms);
    });
    std::this_thread::sleep_for(length_);
  }
  watch.stop();

  const TenantTotals totals = tenants->totals();
  const LatencySnapshot hot_alone = alone.snapshot();
  const LatencySnapshot hot_mixed = mixed.snapshot();
  const LatencySnapshot cold = cold_waits.snapshot();
  const auto milliseconds = [](Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
  };
  std::printf(
      "%d databases (made in %.1f s), %d requests, %d of %d sessions at most in %d looks, %d "
      "evictions, %llu connections opened, %d tenants seen\n"
      "acquire: hot alone p50 %.3f p99 %.3f ms; hot beside cold p50 %.3f p99 %.3f ms (ratio of p99 "
      "%.2f); cold p50 %.3f p99 %.3f max %.3f ms\n",
      databases_, milliseconds(making) / 1000, served_.load(), watch.most(), allowed_,
      watch.looks(), evictions_.load(), static_cast<unsigned long long>(totals.counters.opened),
      totals.known, milliseconds(hot_alone.percentile(50)), milliseconds(hot_alone.percentile(99)),
      milliseconds(hot_mixed.percentile(50)), milliseconds(hot_mixed.percentile(99)),
      milliseconds(hot_mixed.percentile(99)) / milliseconds(hot_alone.percentile(99)),
      milliseconds(cold.percentile(50)), milliseconds(cold.percentile(99)),
      milliseconds(cold.percentile(100)));
  EXPECT_LE(watch.most(), allowed_);
  EXPECT_GT(watch.looks(), 20);
  EXPECT_EQ(failed_, 0);
  EXPECT_EQ(given_up_, 0);
  EXPECT_GT(served_, 500);
  EXPECT_GT(evictions_, 20);
  EXPECT_EQ(out_of_order_, 0);
  // Hot tenants keep their connections: they do not wait for one to be opened, as cold ones do.
  EXPECT_LT(hot_mixed.percentile(50), cold.percentile(99));
  EXPECT_LT(hot_mixed.percentile(99), std::max<Duration>(2s, 20 * hot_alone.percentile(99)));
  for (int i = 1; i <= kHot; ++i) EXPECT_EQ(tenants->statistics(workspace(i))->evictions, 0u);
  expect_all_well();
}

}  // namespace
}  // namespace forebay::test
