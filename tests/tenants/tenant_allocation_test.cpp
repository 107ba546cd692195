// For a warm tenant, acquiring and giving back allocates nothing: counted, not timed.
#include <gtest/gtest.h>

#include "support/counted_allocations.hpp"
#include "support/real_tenants.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

class TenantAllocationTest : public testing::Test {
 protected:
  // Longer than what a string holds by itself.
  static constexpr std::string_view kTenant = "0b5e1c9a-7a43-4c5f-9f5e-0d8ca37a4f6c";

  void SetUp() override {
    const Result<PooledConnection> first = tenants_->acquire_blocking(kTenant, 30s);
    ASSERT_TRUE(first.has_value()) << first.error().text();
  }
  RealTenants tenants_{TenantOptions(), [](FakeServer&) {}};
};

TEST_F(TenantAllocationTest, ThreadsAllocateNothing) {
  const int count = allocations_of([this] {
    for (int i = 0; i < 1000; ++i) {
      const Result<PooledConnection> taken = tenants_->acquire_blocking(kTenant, 30s);
      if (!taken) std::abort();
    }
  });

  EXPECT_EQ(count, 0);
}

Task<int> acquire_many(TenantPools& tenants, std::string_view tenant) {
  allocations = 0;
  is_counting = true;
  for (int i = 0; i < 1000; ++i) {
    const Result<PooledConnection> taken = co_await tenants.acquire(tenant, kNever);
    if (!taken) std::abort();
  }
  is_counting = false;
  co_return allocations;
}

TEST_F(TenantAllocationTest, CoroutinesAllocateNothing) {
  EXPECT_EQ(run_blocking(tenants_.scheduler(), acquire_many(*tenants_, kTenant)), 0);
}

}  // namespace
}  // namespace forebay::test
