// Statements that run into their deadlines, on a server that refuses one session too many: nobody
// is refused, and the places serve others again soon. FOREBAY_TIMEOUT_SECONDS says for how long,
// FOREBAY_BLACK_HOLE_SECONDS for how long nothing is forwarded.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>

#include "integration/pool_fixture.hpp"
#include "support/forwarder.hpp"

namespace forebay::test {
namespace {

constexpr int kPlaces = 10;
constexpr int kCallers = 20;

Duration seconds_of(const char* variable, Duration otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? Duration(std::chrono::seconds(std::atoi(text))) : otherwise;
}

// When places were taken and came back. While somebody always waits, the n-th that comes back
// serves the n-th who is served after the first ten.
class Record {
 public:
  void taken(Instant now) { note(taken_, now); }
  void given_back(Instant now) { note(back_, now); }
  // The times from the end of one use to the next, the longest last.
  std::vector<Duration> gaps() {
    std::ranges::sort(taken_);
    std::ranges::sort(back_);
    std::vector<Duration> gaps;
    for (std::size_t i = 0; i < back_.size() && i + kPlaces < taken_.size(); ++i)
      gaps.push_back(taken_[i + kPlaces] - back_[i]);
    std::ranges::sort(gaps);
    return gaps;
  }

 private:
  void note(std::vector<Instant>& list, Instant now) {
    const std::lock_guard lock(mutex_);
    list.push_back(now);
  }
  std::mutex mutex_;
  std::vector<Instant> taken_;
  std::vector<Instant> back_;
};

class TimeoutTest : public PoolFixture {
 protected:
  // 14 in all, 3 reserved for superusers, 1 in use by ours: 10 are left for everybody else.
  void SetUp() override {
    PostgresServerOptions options;
    options.max_connections = kPlaces + 4;
    options.superuser_reserved_connections = 3;
    launch(options);
  }

  static PoolOptions ten() {
    PoolOptions options;
    options.size.max = kPlaces;
    options.initial_fill_limit = 10s;
    return options;
  }
  Instant now() { return runtime.scheduler().now(); }

  // A caller whose statement never ends in time.
  void run_into_deadline(PostgresPool& pool, Duration deadline, Record& record) {
    Result<PooledSession> session = pool.acquire_blocking(10s);
    if (!session) {
      failed_acquires.fetch_add(1);
      return;
    }
    const Instant start = now();
    record.taken(start);
    const Result<QueryResult> slept = (*session)->exec_blocking("SELECT pg_sleep(120)", deadline);
    const Instant end = now();
    if (!slept && slept.error().code() == Errc::timed_out) ++timeouts;
    if (end - start > deadline + 1s) ++late;
    session->give_back();
    record.given_back(end);
  }

  // Twenty of them, for a while, and a look at the server meanwhile.
  void run_all(PostgresPool& pool, Duration deadline, Duration length, Record& record) {
    Load load(kCallers, [&](int) { run_into_deadline(pool, deadline, record); });
    for (const Instant start = now(); now() - start < length;) {
      most = std::max(most, sessions());
      std::this_thread::sleep_for(20ms);
    }
    load.stop();
  }

  // A machine that stands still for a moment delays a few; a pool that is slow delays all.
  static void expect_soon(Record& record) {
    const std::vector<Duration> gaps = record.gaps();
    ASSERT_FALSE(gaps.empty());
    EXPECT_LT(gaps[gaps.size() * 9 / 10], 2s);
    std::printf("until a place served again: nine tenths within %lld ms, all within %lld ms\n",
                static_cast<long long>(gaps[gaps.size() * 9 / 10] / 1ms),
                static_cast<long long>(gaps.back() / 1ms));
  }

  void expect_the_cap_held(PostgresPool& pool) {
    EXPECT_EQ(refusals(), 0u) << server->log_text();
    EXPECT_LE(most, kPlaces);
    EXPECT_TRUE(pool.close(30s));
    EXPECT_EQ(sessions(), 0);
  }

  std::atomic<int> timeouts = 0;
  std::atomic<int> late = 0;
  std::atomic<int> failed_acquires = 0;
  int most = 0;
};

TEST_F(TimeoutTest, NobodyIsRefusedAndPlacesServeOthersSoon) {
  auto pool = open_pool(ten());
  const Duration length = seconds_of("FOREBAY_TIMEOUT_SECONDS", 5s);
  Record record;
  run_all(*pool, 1s, length, record);

  EXPECT_GT(timeouts, kPlaces);
  EXPECT_EQ(late, 0);
  EXPECT_EQ(failed_acquires, 0);
  expect_soon(record);
  const std::uint64_t opened = pool->statistics().counters.opened;
  std::printf("%d timeouts, at most %d sessions, opened %llu\n", timeouts.load(), most,
              static_cast<unsigned long long>(opened));
  // A cancel saves the session, unless it comes late.
  EXPECT_LE(opened, static_cast<std::uint64_t>(kPlaces + timeouts / 4));
  expect_the_cap_held(*pool);
}

TEST_F(TimeoutTest, TheSameWhereCancelsAreLost) {
  Forwarder forwarder(server->port(), [](std::string_view packet) {
    Forwarder::Verdict verdict;
    verdict.is_forwarded = !is_cancel_request(packet);
    return verdict;
  });
  auto pool = open_pool_at(forwarder.conninfo("app"), ten());
  const Duration length = seconds_of("FOREBAY_TIMEOUT_SECONDS", 6s);
  Record record;
  run_all(*pool, 1s, length, record);

  EXPECT_GT(timeouts, kPlaces);
  EXPECT_GT(forwarder.cancels(), kPlaces);
  EXPECT_EQ(late, 0);
  EXPECT_EQ(failed_acquires, 0);
  expect_soon(record);
  std::printf("%d timeouts, at most %d sessions\n", timeouts.load(), most);
  expect_the_cap_held(*pool);
}

TEST_F(TimeoutTest, TheSameWithABlackHole) {
  Forwarder forwarder(server->port());
  PoolOptions options = ten();
  options.connect_timeout = 1s;
  auto pool = open_pool_at(forwarder.conninfo("app"), options);
  std::atomic<int> served = 0;
  std::mutex mutex;
  std::string last_error;
  Load load(kCallers, [&](int caller) {
    Result<PooledSession> session = pool->acquire_blocking(1s);
    if (!session) {
      const std::lock_guard lock(mutex);
      last_error = session.error().text();
      return;
    }
    const char* const sql = caller % 2 == 0 ? "SELECT pg_sleep(120)" : "SELECT pg_sleep(0.01)";
    if ((*session)->exec_blocking(sql, 500ms)) ++served;
  });
  const auto watch = [&](Duration length) {
    for (const Instant start = now(); now() - start < length;) {
      most = std::max(most, sessions());
      std::this_thread::sleep_for(20ms);
    }
  };
  watch(1s);
  forwarder.hold();
  watch(seconds_of("FOREBAY_BLACK_HOLE_SECONDS", 8s));
  std::string error_within;
  {
    const std::lock_guard lock(mutex);
    error_within = last_error;
  }
  const int served_before = served;
  forwarder.let_go();
  const Instant over = now();
  while (served == served_before && now() - over < 30s) watch(20ms);
  const Duration recovery = now() - over;
  watch(1s);
  load.stop();

  EXPECT_TRUE(error_within.contains("held by sessions that the server has not let go of"))
      << error_within;
  EXPECT_GT(served, served_before);
  EXPECT_LT(recovery, 10s);
  std::printf("at most %d sessions, served again after %lld ms; within: %s\n", most,
              static_cast<long long>(recovery / 1ms), error_within.c_str());
  expect_the_cap_held(*pool);
}

// More are being cleared than are ready, and nothing is heard of the server: a thread that gives
// back goes on at once, and so does one that destroys a handle.
TEST_F(TimeoutTest, GivingBackNeverWaits) {
  Forwarder forwarder(server->port());
  auto pool = open_pool_at(forwarder.conninfo("app"), ten());
  std::vector<PooledSession> lent;
  for (int i = 0; i < kPlaces; ++i) {
    Result<PooledSession> session = pool->acquire_blocking(10s);
    ASSERT_TRUE(session.has_value()) << session.error().text();
    ASSERT_TRUE((*session)->exec_blocking("SELECT 1", 10s).has_value());
    lent.push_back(std::move(*session));
  }
  forwarder.hold();
  const Instant start = now();
  lent.clear();
  const Duration time = now() - start;
  forwarder.let_go();

  EXPECT_LT(time, 1s);
  std::printf("%d given back in %.1f ms\n", kPlaces, static_cast<double>(time / 1us) / 1000);
  expect_the_cap_held(*pool);
}

// The time that callers wait for their deadlines is theirs: a hundredth of 100 ms is a tenth of
// what a good statement takes. All else is ours.
TEST_F(TimeoutTest, OneBadStatementInAHundredHardlyHindersTheOthers) {
  auto pool = open_pool(ten());
  std::atomic<bool> has_bad = false;
  std::array<std::atomic<int>, 2> good{};
  Load load(kCallers, [&](int caller) {
    thread_local int count = caller * 5;
    const bool is_bad = ++count % 100 == 0 && has_bad;
    Result<PooledSession> session = pool->acquire_blocking(10s);
    if (!session) return;
    if (is_bad) {
      if (!(*session)->exec_blocking("SELECT pg_sleep(120)", 100ms)) ++timeouts;
    } else if ((*session)->exec_blocking("SELECT pg_sleep(0.01)", 5s)) {
      ++good[has_bad ? 1 : 0];
    }
  });
  for (int round = 0; round < 6; ++round) {  // in turns, so that a busy machine is fair to both
    has_bad = round % 2 == 1;
    for (const Instant start = now(); now() - start < load_time(4500ms);) {
      most = std::max(most, sessions());
      std::this_thread::sleep_for(20ms);
    }
  }
  load.stop();

  const double ratio = static_cast<double>(good[1]) / good[0];
  std::printf("%d good statements without, %d with bad ones (%d timeouts): %.0f %%\n",
              good[0].load(), good[1].load(), timeouts.load(), ratio * 100);
  EXPECT_GT(timeouts, 5);
  EXPECT_GT(ratio, kIsSanitized ? 0.5 : 0.8);
  expect_the_cap_held(*pool);
}

}  // namespace
}  // namespace forebay::test
