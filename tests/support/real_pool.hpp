// A pool over a fake server on the real scheduler, for tests and benchmarks with threads.
#pragma once

#include <memory>
#include <utility>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/pool/pool.hpp"
#include "forebay/pool/pool_defaults.hpp"
#include "support/fake_connector.hpp"

namespace forebay::test {

class RealPool {
 public:
  // The server is configured before the pool starts: afterwards it belongs to
  // the scheduler's thread.
  template <class Configure>
  RealPool(PoolOptions options, Configure&& configure)
      : runtime_(), server_(runtime_.scheduler()), connector_(server_) {
    server_.limit = options.size.max.value_or(PoolDefaults().max);
    configure(server_);
    pool_ = std::make_unique<Pool>(runtime_.env(), connector_, std::move(options));
    run_blocking(runtime_.scheduler(), pool_->start());
  }
  ~RealPool() { close(); }

  Pool& operator*() { return *pool_; }
  Pool* operator->() { return pool_.get(); }
  Scheduler& scheduler() { return runtime_.scheduler(); }

  // The server may be looked at afterwards.
  const FakeServer& close() {
    if (pool_) run_blocking(runtime_.scheduler(), pool_->close(kNever));
    pool_.reset();
    return server_;
  }

 private:
  Runtime runtime_;
  FakeServer server_;
  FakeConnector connector_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace forebay::test
