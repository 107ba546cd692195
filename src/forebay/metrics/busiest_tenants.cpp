#include "forebay/metrics/busiest_tenants.hpp"

#include <algorithm>
#include <utility>

namespace forebay {
namespace {

constexpr Duration kLookEvery = std::chrono::minutes(1);

std::uint64_t callers_of(const TenantStatistics& tenant) { return tenant.served + tenant.timeouts; }

}  // namespace

std::vector<const TenantStatistics*> BusiestTenants::choose(
    std::span<const TenantStatistics> tenants, Instant now) {
  MutexLock lock(mutex_);
  if (now >= next_look_) {
    look(tenants);
    next_look_ = now + kLookEvery;
  }
  std::vector<const TenantStatistics*> told;
  for (const TenantStatistics& tenant : tenants) {
    if (chosen_.contains(tenant.tenant)) told.push_back(&tenant);
  }
  std::ranges::sort(told, {}, [](const TenantStatistics* each) { return each->tenant; });
  return told;
}

void BusiestTenants::look(std::span<const TenantStatistics> tenants) {
  std::vector<std::pair<std::uint64_t, const std::string*>> ranks;
  std::map<std::string, std::uint64_t> seen;
  for (const TenantStatistics& tenant : tenants) {
    const std::uint64_t callers = callers_of(tenant);
    const auto before = callers_.find(tenant.tenant);
    // One that was forgotten meanwhile has begun anew.
    const bool is_known = before != callers_.end() && before->second <= callers;
    ranks.emplace_back(is_known ? callers - before->second : callers, &tenant.tenant);
    seen.emplace(tenant.tenant, callers);
  }
  callers_ = std::move(seen);
  std::ranges::sort(ranks, [](const auto& left, const auto& right) {
    if (left.first != right.first) return left.first > right.first;
    return *left.second < *right.second;
  });
  std::set<std::string> chosen;
  for (std::size_t rank = 0; rank < std::min(ranks.size(), 2 * places_); ++rank) {
    if (chosen_.contains(*ranks[rank].second)) chosen.insert(*ranks[rank].second);
  }
  for (const auto& [callers, tenant] : ranks) {
    if (chosen.size() >= places_) break;
    chosen.insert(*tenant);
  }
  chosen_ = std::move(chosen);
}

}  // namespace forebay
