// SingleRun: one world on a thread of its own.
#pragma once

#include <atomic>
#include <future>
#include <thread>

#include "forebay/cli/sim/background_work.hpp"
#include "forebay/cli/sim/sim_options.hpp"
#include "forebay/sim/run.hpp"

namespace forebay::cli {

class SingleRun : public BackgroundWork, private sim::RunWatch {
 public:
  // Starts it. The options must outlive this object.
  explicit SingleRun(const SimOptions& options);
  ~SingleRun() override;

  bool wait(std::chrono::milliseconds limit) override;
  void stop() override { is_stopping_ = true; }

  // How far it is.
  Duration virtual_time() const { return Duration(virtual_time_.load(std::memory_order_relaxed)); }
  std::uint64_t events() const { return events_.load(std::memory_order_relaxed); }

  // REQUIRES: wait() returned true.
  const sim::RunResult& result() const { return result_; }
  bool was_stopped() const { return was_stopped_; }  // the result is that of a part

 private:
  bool go_on(Duration virtual_time, std::uint64_t events) override;

  std::atomic<bool> is_stopping_ = false;
  // For the progress line, which may lag behind.
  std::atomic<Duration::rep> virtual_time_ = 0;
  std::atomic<std::uint64_t> events_ = 0;
  sim::RunResult result_;
  bool was_stopped_ = false;
  std::future<void> end_;
  std::jthread thread_;
};

}  // namespace forebay::cli
