#include "forebay/cli/demo/demo_load.hpp"

#include <algorithm>
#include <chrono>

namespace forebay::cli {
namespace {

using std::chrono::steady_clock;

constexpr Duration kAcquireLimit = std::chrono::seconds(5);
constexpr Duration kStatementLimit = std::chrono::seconds(5);
// How late a thread that holds a session, or rests after a failure, may notice the end.
constexpr Duration kNap = std::chrono::milliseconds(20);

}  // namespace

DemoLoad::DemoLoad(postgres::PostgresPool& pool, int threads, Duration hold)
    : pool_(pool), hold_(hold) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back(&DemoLoad::run, this);
}

DemoLoad::~DemoLoad() {
  end();
  for (std::thread& thread : threads_) thread.join();
}

void DemoLoad::run() {
  while (!is_over_.load(std::memory_order_relaxed)) {
    const Result<void> served = serve_once();
    if (served) continue;
    count_failure(served.error());
    std::this_thread::sleep_for(
        kNap);  // a server that refuses at once is not asked in a tight loop
  }
}

Result<void> DemoLoad::serve_once() {
  const auto begun = steady_clock::now();
  Result<postgres::PooledSession> session = pool_.acquire_blocking(kAcquireLimit);
  if (!session) return failure(session.error());
  acquire_times_.record(steady_clock::now() - begun);
  const Result<postgres::QueryResult> answer =
      (*session)->exec_blocking("SELECT 1", kStatementLimit);
  if (!answer) return failure(answer.error());
  statements_.fetch_add(1, std::memory_order_relaxed);
  hold_on();
  return {};
}

void DemoLoad::hold_on() const {
  const auto until = steady_clock::now() + hold_;
  for (auto now = steady_clock::now(); now < until && !is_over_.load(std::memory_order_relaxed);
       now = steady_clock::now()) {
    std::this_thread::sleep_for(std::min<Duration>(until - now, kNap));
  }
}

void DemoLoad::count_failure(const Error& error) {
  if (is_over_.load(std::memory_order_relaxed)) return;
  failures_.fetch_add(1, std::memory_order_relaxed);
  MutexLock lock(mutex_);
  last_failure_ = error.text();
}

LoadCounts DemoLoad::counts() const {
  LoadCounts counts;
  counts.statements = statements_.load(std::memory_order_relaxed);
  counts.failures = failures_.load(std::memory_order_relaxed);
  MutexLock lock(mutex_);
  counts.last_failure = last_failure_;
  return counts;
}

}  // namespace forebay::cli
