#include "forebay/sim/dynamo_store.hpp"

#include <algorithm>

#include "forebay/base/check.hpp"
#include "forebay/sim/dynamo_link.hpp"
#include "forebay/sim/start_time.hpp"

namespace forebay::sim {
namespace {

// A scan of the leases takes several pages, so that others can change them in between.
constexpr std::size_t kPage = 5;
// How often time to live looks for items whose time is over. The real one is slower.
constexpr Duration kSweepEvery = std::chrono::minutes(1);

dynamodb::NetworkFaults faults(const CoordinationSpec& spec) {
  dynamodb::NetworkFaults faults;
  faults.fastest = std::max(Duration::zero(), spec.latency.median - spec.latency.spread);
  faults.slowest = spec.latency.median + spec.latency.spread;
  faults.lost_replies = spec.lost_replies;
  faults.throttled = spec.throttled;
  return faults;
}

void make_table(dynamodb::Tables& tables, const char* name) {
  dynamodb::Table table;
  table.key = dynamodb::kKey;
  const bool is_made = tables.create(name, std::move(table), kStart).has_value();
  FOREBAY_CHECK(is_made && tables.enable_ttl(name, "ttl_epoch", kStart).has_value());
}

}  // namespace

DynamoStore::DynamoStore(const Scenario& scenario, RateLimits limits, std::uint64_t seed,
                         SimStore& store, Trace& trace)
    : endpoint_(scenario.endpoint),
      lease_prefix_("dsqllease#" + endpoint_ + "#"),
      counter_key_("dsqllease_counter#" + endpoint_),
      limits_(limits),
      store_(store),
      service_(tables_, simulated_credentials(), kDynamoRegion),
      network_(service_, kStart, seed, faults(scenario.coordination)) {
  make_table(tables_, kLeaseTable);
  make_table(tables_, kRateTable);
  tables_.set_page_limit(kPage);
  tables_.set_on_change([this](const std::string&, const std::string& key, const aws::Item*,
                               const aws::Item* after) { note_change(key, after); });
  network_.set_on_answer([this, &trace](int sender, Instant now, const HttpResponse& response) {
    trace.add(TraceEvent::store, sender, now, response.body.size());
    sweep(now);
  });
}

std::unique_ptr<StoreLink> DynamoStore::make_link(int process, Env env) {
  const DynamoParts parts{*this, store_, network_};
  return std::make_unique<DynamoLink>(parts, process, env, endpoint_, limits_);
}

int DynamoStore::held(const std::string& lease_id) const {
  const auto found = held_.find(lease_id);
  return found == held_.end() ? 0 : found->second;
}

void DynamoStore::note_change(const std::string& key, const aws::Item* after) {
  if (key == counter_key_) {
    active_ =
        after == nullptr ? 0 : static_cast<int>(aws::integer_at(*after, "active").value_or(0));
    store_.note_changed("");
  } else if (key.starts_with(lease_prefix_)) {
    const std::string lease_id = key.substr(lease_prefix_.size());
    if (after != nullptr) {
      note_held(lease_id, static_cast<int>(aws::integer_at(*after, "connections").value_or(0)));
      store_.note_changed(lease_id);
    } else {
      note_gone(lease_id);
    }
  }
}

void DynamoStore::note_held(const std::string& lease_id, int held) {
  int& known = held_[lease_id];
  held_in_all_ += held - known;
  known = held;
}

// Whoever gives back all that it holds ends its lease; otherwise the lease was reaped.
void DynamoStore::note_gone(const std::string& lease_id) {
  note_held(lease_id, 0);
  held_.erase(lease_id);
  const bool is_released =
      releasing_.contains(lease_id) && network_.sender() == store_.owner_of(lease_id);
  if (is_released) {
    store_.note_changed(lease_id);
  } else {
    store_.note_reaped(lease_id);
  }
}

void DynamoStore::sweep(Instant now) {
  if (now - swept_at_ < kSweepEvery) return;
  swept_at_ = now;
  tables_.expire(kStart + now.time_since_epoch());
}

}  // namespace forebay::sim
