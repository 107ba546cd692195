// DemoLoad: threads that acquire a session, run a statement, hold on to the session and give it
// back, again and again.
//
// Made, asked and ended by one thread. end() may be called while a thread waits for the pool; close
// the pool to wake it. What fails after end() is not counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "forebay/core/latency_histogram.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/postgres/postgres_pool.hpp"

namespace forebay::cli {

struct LoadCounts {
  std::uint64_t statements = 0;  // done
  std::uint64_t failures = 0;    // no session in time, or the statement failed
  std::string last_failure;
};

class DemoLoad {
 public:
  DemoLoad(postgres::PostgresPool& pool, int threads, Duration hold);
  DemoLoad(const DemoLoad&) = delete;
  DemoLoad& operator=(const DemoLoad&) = delete;
  ~DemoLoad();  // REQUIRES: the pool is closed, or can still serve

  void end() { is_over_.store(true, std::memory_order_relaxed); }

  LoadCounts counts() const FOREBAY_EXCLUDES(mutex_);
  LatencySnapshot acquire_times() const { return acquire_times_.snapshot(); }

 private:
  void run();
  Result<void> serve_once();
  void hold_on() const;
  void count_failure(const Error& error) FOREBAY_EXCLUDES(mutex_);

  postgres::PostgresPool& pool_;
  const Duration hold_;
  LatencyHistogram acquire_times_;
  // Relaxed: nothing else is published through them.
  std::atomic<bool> is_over_ = false;
  std::atomic<std::uint64_t> statements_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  mutable Mutex mutex_;
  std::string last_failure_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;
};

}  // namespace forebay::cli
