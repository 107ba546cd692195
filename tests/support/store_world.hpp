// StoreWorld: an empty coordination store that several processes share, and a way to run tasks
// until they end.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "forebay/coordination/leases/lease_store.hpp"
#include "forebay/coordination/nodes/node_store.hpp"
#include "forebay/coordination/rate/rate_store.hpp"
#include "forebay/env/scheduler.hpp"

namespace forebay::test {

class StoreWorld {
 public:
  static constexpr std::size_t kProcesses = 4;

  virtual ~StoreWorld() = default;
  virtual LeaseStore& leases(std::size_t process = 0) = 0;
  virtual RateStore& rates(std::size_t process = 0) = 0;
  virtual NodeStore& nodes(std::size_t process = 0) = 0;
  virtual Scheduler& scheduler() = 0;
  virtual void run(Task<void> task) = 0;

  // Long enough for a busy machine, short enough to fail a test.
  Instant deadline(Duration wait = std::chrono::seconds(30)) {
    return deadline_after(scheduler().now(), wait);
  }
  template <class Reply>
  Result<Reply> ask(Task<Result<Reply>> task) {
    std::optional<Result<Reply>> result;
    run(keep(std::move(task), result));
    return std::move(*result);
  }

 private:
  template <class Reply>
  static Task<void> keep(Task<Result<Reply>> task, std::optional<Result<Reply>>& result) {
    Result<Reply> reply = co_await std::move(task);
    result.emplace(std::move(reply));
  }
};

using MakeStoreWorld = std::unique_ptr<StoreWorld> (*)(RateLimits limits);

}  // namespace forebay::test
