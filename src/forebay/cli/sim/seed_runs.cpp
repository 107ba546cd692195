#include "forebay/cli/sim/seed_runs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/cli/crash.hpp"

namespace forebay::cli {
namespace {

// Has one of its own in each world: worlds stop alone, and only those that were asked.
class StopWatch : public sim::RunWatch {
 public:
  explicit StopWatch(const std::atomic<bool>& is_stopping) : is_stopping_(is_stopping) {}

  bool go_on(Duration, std::uint64_t) override {
    if (is_stopping_) was_stopped_ = true;
    return !was_stopped_;
  }
  bool was_stopped() const { return was_stopped_; }

 private:
  const std::atomic<bool>& is_stopping_;
  bool was_stopped_ = false;
};

}  // namespace

SeedRuns::SeedRuns(const SimOptions& options) : options_(options), seeds_(options.seeds.value()) {
  const auto jobs =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(options.jobs), seeds_.count());
  at_work_ = static_cast<int>(jobs);
  for (std::uint64_t i = 0; i < jobs; ++i) threads_.emplace_back([this] { work(); });
}

SeedRuns::~SeedRuns() {
  is_stopping_ = true;
  threads_.clear();
}

bool SeedRuns::wait(std::chrono::milliseconds limit) {
  if (has_ended_.wait_for(limit) != std::future_status::ready) return false;
  threads_.clear();
  return true;
}

SeedsOutcome SeedRuns::outcome() {
  MutexLock lock(mutex_);
  return outcome_;
}

void SeedRuns::work() {
  sim::Scenario scenario = options_.scenario;
  while (!is_stopping_) {
    const std::uint64_t number = taken_.fetch_add(1);
    if (number >= seeds_.count()) break;
    scenario.seed = seeds_.from + number;
    const CrashNote crash_note(options_.crash_note(scenario.seed));
    StopWatch watch(is_stopping_);
    const sim::RunResult result = sim::run(scenario, &watch);
    if (!watch.was_stopped()) note(result);
  }
  if (at_work_.fetch_sub(1) == 1) end_.set_value();
}

void SeedRuns::note(const sim::RunResult& result) {
  const std::string failure = failure_of(result);
  const sim::CallerTotals callers = result.callers();
  MutexLock lock(mutex_);
  ++outcome_.done;
  outcome_.events += result.events;
  outcome_.callers += callers;
  if (failure.empty()) return;
  ++outcome_.failed;
  outcome_.failures.emplace(result.seed, failure);
  if (outcome_.failures.size() > kMostFailuresKept) {
    outcome_.failures.erase(std::prev(outcome_.failures.end()));
  }
}

std::string failure_of(const sim::RunResult& result) {
  if (result.broken_promise) {
    return fmt::format("promise {} broken: {}", result.broken_promise->promise,
                       result.broken_promise->what);
  }
  std::string text;
  for (const sim::Verdict& verdict : result.assertions) {
    if (verdict.holds) continue;
    text += fmt::format("{}{}: expected {}, seen {}", text.empty() ? "" : "; ", verdict.name,
                        verdict.expected, verdict.seen);
  }
  return text;
}

}  // namespace forebay::cli
