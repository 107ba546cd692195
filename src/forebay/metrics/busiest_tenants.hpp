// BusiestTenants: the tenants that have metrics of their own. There may be hundreds of thousands of
// tenants, and each one that ever appears in metrics costs storage.
//
// Always: a fixed number of places. The busiest are chosen once a minute, by callers since the last
// time; a tenant keeps its place while it is among twice as many, so that neighbours in rank do not
// take turns. Thread-safe: pages may be asked for at once.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "forebay/detail/base/mutex.hpp"
#include "forebay/tenants/tenant_statistics.hpp"

namespace forebay {

class BusiestTenants {
 public:
  explicit BusiestTenants(int places) : places_(static_cast<std::size_t>(places)) {}

  // Those of these tenants that have a place, in the order of their ids.
  std::vector<const TenantStatistics*> choose(std::span<const TenantStatistics> tenants,
                                              Instant now);

 private:
  void look(std::span<const TenantStatistics> tenants) FOREBAY_REQUIRES(mutex_);

  const std::size_t places_;
  Mutex mutex_;
  Instant next_look_ FOREBAY_GUARDED_BY(mutex_) = Instant::min();
  std::map<std::string, std::uint64_t> callers_ FOREBAY_GUARDED_BY(mutex_);  // at the last look
  std::set<std::string> chosen_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay
