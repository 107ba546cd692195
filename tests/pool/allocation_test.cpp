// Acquiring a ready connection and giving it back allocates nothing: counted, not timed.
#include <gtest/gtest.h>

#include "forebay/detail/pool/observed_span.hpp"
#include "support/counted_allocations.hpp"
#include "support/real_pool.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

class AllocationTest : public testing::Test {
 protected:
  static PoolOptions options() {
    PoolOptions options;
    options.size.max = 4;
    options.supply = Supply::reservoir;
    return options;
  }
  RealPool pool_{options(), [](FakeServer&) {}};
};

TEST_F(AllocationTest, TheCounterCounts) {
  EXPECT_EQ(allocations_of([] { ::operator delete(::operator new(8)); }), 1);
}

TEST_F(AllocationTest, ThreadsAllocateNothing) {
  const int count = allocations_of([this] {
    for (int i = 0; i < 1000; ++i) {
      Result<PooledConnection> first = pool_->acquire_blocking(1s);
      Result<PooledConnection> second = pool_->acquire_blocking(1s);
      if (!first || !second) std::abort();
    }
  });

  EXPECT_EQ(count, 0);
}

TEST_F(AllocationTest, WhatAnObserverIsToldAllocatesNothing) {
  Observer observer;
  const Observation observation{&observer, "a pool whose name is longer than a short string"};
  const int count = allocations_of([&] {
    const TraceScope scope("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    for (int i = 0; i < 1000; ++i) {
      detail::ObservedSpan span(observation, pool_.scheduler());
      if (span) span.begin(ObservedStep::acquire, TraceScope::current(), {});
      Result<PooledConnection> taken = span.ended(pool_->acquire_blocking(1s));
      if (!taken) std::abort();
    }
  });

  EXPECT_EQ(count, 0);
}

TEST_F(AllocationTest, TryAcquireAllocatesNothing) {
  const int count = allocations_of([this] {
    for (int i = 0; i < 1000; ++i) {
      std::optional<PooledConnection> taken = pool_->try_acquire();
      if (!taken) std::abort();
    }
  });

  EXPECT_EQ(count, 0);
}

Task<int> acquire_many(Pool& pool) {
  allocations = 0;
  is_counting = true;
  for (int i = 0; i < 1000; ++i) {
    Result<PooledConnection> taken = co_await pool.acquire(kNever);
    if (!taken) std::abort();
  }
  is_counting = false;
  co_return allocations;
}

TEST_F(AllocationTest, CoroutinesAllocateNothing) {
  EXPECT_EQ(run_blocking(pool_.scheduler(), acquire_many(*pool_)), 0);
}

}  // namespace
}  // namespace forebay::test
