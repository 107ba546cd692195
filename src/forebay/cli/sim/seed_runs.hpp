// SeedRuns: the same world with many seeds, several at a time, each on one thread.
//
// Always: what it finds does not depend on how many threads there are, unless it is stopped.
#pragma once

#include <atomic>
#include <future>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "forebay/cli/sim/background_work.hpp"
#include "forebay/cli/sim/sim_options.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/sim/run.hpp"

namespace forebay::cli {

// What was found, now or in the end.
struct SeedsOutcome {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t events = 0;
  sim::CallerTotals callers;
  // By seed, the lowest ones: what did not hold.
  std::map<std::uint64_t, std::string> failures;
};

class SeedRuns : public BackgroundWork {
 public:
  static constexpr std::size_t kMostFailuresKept = 1'000;

  // Starts them. The options must outlive this object.
  explicit SeedRuns(const SimOptions& options);
  ~SeedRuns() override;

  bool wait(std::chrono::milliseconds limit) override;
  void stop() override { is_stopping_ = true; }

  SeedsOutcome outcome() FOREBAY_EXCLUDES(mutex_);

 private:
  void work();
  void note(const sim::RunResult& result) FOREBAY_EXCLUDES(mutex_);

  const SimOptions& options_;
  const SeedRange seeds_;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<std::uint64_t> taken_ = 0;
  std::atomic<int> at_work_;
  std::promise<void> end_;
  std::future<void> has_ended_ = end_.get_future();
  Mutex mutex_;
  SeedsOutcome outcome_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;
};

// What did not hold, in one sentence. Empty: everything held.
std::string failure_of(const sim::RunResult& result);

}  // namespace forebay::cli
