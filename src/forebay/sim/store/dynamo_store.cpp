#include "forebay/sim/store/dynamo_store.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"
#include "forebay/sim/scenario/service_pool.hpp"
#include "forebay/sim/start_time.hpp"

namespace forebay::sim {
namespace {

constexpr const char* kRegion = "eu-west-1";
constexpr const char* kLeaseTable = "leases";
constexpr const char* kRateTable = "connects";

aws::Credentials simulated_credentials() {
  return aws::Credentials("SIMULATED", "the key of a simulated process");
}

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

DynamoStore::DynamoStore(const Scenario& scenario, std::uint64_t seed, SimStore& store,
                         Trace& trace)
    : endpoint_(scenario.endpoint),
      lease_prefix_("dsqllease#" + endpoint_ + "#"),
      counter_key_("dsqllease_counter#" + endpoint_),
      limits_(rate_limits(cluster_options(scenario))),
      store_(store),
      service_(tables_, simulated_credentials(), kRegion),
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
  return std::make_unique<DynamoLink>(*this, process, env);
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

// A process that gives back all that it holds ends its lease; otherwise the lease was reaped.
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

DynamoLink::DynamoLink(DynamoStore& dynamo, int process, Env env)
    : dynamo_(dynamo),
      store_(dynamo.store_),
      process_(process),
      http_(dynamo.network_, env.scheduler, process),
      credentials_(simulated_credentials()),
      client_(env, http_, credentials_, aws::DynamoDbOptions{kRegion, ""}),
      leases_(client_, kLeaseTable, dynamo.endpoint_),
      rates_(env, client_, kRateTable, dynamo.endpoint_, dynamo.limits_) {}

// An answer, and whether there was one.
template <class Reply>
Task<Result<Reply>> DynamoLink::noted(SimStore::Topic topic, Task<Result<Reply>> answer) {
  Result<Reply> reply = co_await std::move(answer);
  // Nothing that we send is malformed, whatever happens to it.
  FOREBAY_CHECK(reply || reply.error().code() != Errc::invalid,
                "the simulated DynamoDB refused a request of ours: " + reply.error().text());
  store_.note_contact(process_, topic, reply.has_value());
  co_return reply;
}

Task<Result<AcquireReply>> DynamoLink::acquire(AcquireRequest request, Instant deadline) {
  store_.note_lease(request.change.lease_id, process_);
  return noted(SimStore::Topic::leases, leases_.acquire(std::move(request), deadline));
}

Task<Result<ReleaseReply>> DynamoLink::release(ReleaseRequest request, Instant deadline) {
  const std::string lease_id = request.change.lease_id;
  dynamo_.begin_release(lease_id);
  Task<Result<ReleaseReply>> answer = leases_.release(std::move(request), deadline);
  Result<ReleaseReply> reply = co_await noted(SimStore::Topic::leases, std::move(answer));
  dynamo_.end_release(lease_id);
  co_return reply;
}

Task<Result<RenewReply>> DynamoLink::renew(RenewRequest request, Instant deadline) {
  return noted(SimStore::Topic::leases, leases_.renew(std::move(request), deadline));
}

Task<Result<LeaseListing>> DynamoLink::list(Instant deadline) {
  return noted(SimStore::Topic::leases, leases_.list(deadline));
}

Task<Result<ReapReply>> DynamoLink::reap(ReapRequest request, Instant deadline) {
  return noted(SimStore::Topic::leases, leases_.reap(std::move(request), deadline));
}

Task<Result<RecountReply>> DynamoLink::recount(RecountRequest request, Instant deadline) {
  return noted(SimStore::Topic::leases, leases_.recount(std::move(request), deadline));
}

Task<Result<TakeReply>> DynamoLink::take(TakeRequest request, Instant deadline) {
  return noted(SimStore::Topic::rate, rates_.take(request, deadline));
}

}  // namespace forebay::sim
