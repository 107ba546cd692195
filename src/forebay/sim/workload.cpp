#include "forebay/sim/workload.hpp"

#include <algorithm>

#include "forebay/env/sleep.hpp"
#include "forebay/sim/latency.hpp"
#include "forebay/sim/scenario/service_pool.hpp"

namespace forebay::sim {

Workload::Workload(Env env, const WorkloadSpec& spec, std::vector<WatchedPool> pools, Link& link,
                   WorkCounts& counts, std::vector<LatencyHistogram*> waits, Trace& trace,
                   Door* door)
    : env_(env),
      spec_(spec),
      pools_(std::move(pools)),
      link_(link),
      counts_(counts),
      waits_(std::move(waits)),
      trace_(trace),
      door_(door),
      tasks_(env.scheduler),
      stopping_(env.scheduler) {}

void Workload::start() {
  if (!spec_.is_enabled) return;
  tasks_.spawn(spec_.arrivals_per_second > 0 ? keep_arriving() : keep_concurrency());
}

Task<void> Workload::wait_gone() {
  is_stopped_ = true;
  stopping_.notify_all();
  co_await tasks_.join();
}

Task<void> Workload::keep_concurrency() {
  co_await stopping_.wait_until(env_.scheduler.now() + spec_.start_after);
  while (!is_stopped_) {
    const int wanted = static_cast<int>(spec_.max_in_use * factor_);
    const int most = static_cast<int>(spec_.arrival_burst * std::max(1.0, factor_));
    const int missing = std::min(wanted - active_, most);
    for (int i = 0; i < missing; ++i) spawn_caller();
    co_await stopping_.wait_until(env_.scheduler.now() + spec_.spawn_every);
  }
}

Task<void> Workload::keep_arriving() {
  co_await stopping_.wait_until(env_.scheduler.now() + spec_.start_after);
  while (!is_stopped_) {
    const double rate = spec_.arrivals_per_second * factor_;
    const Duration longest(static_cast<std::int64_t>(2e9 / rate));
    const Duration pause = env_.random.between(Duration(1), longest);
    co_await stopping_.wait_until(env_.scheduler.now() + pause);
    if (!is_stopped_) spawn_caller();
  }
}

void Workload::spawn_caller() {
  const std::size_t choice = pools_.size() == 1 ? 0 : env_.random.below(pools_.size());
  ++active_;
  tasks_.spawn(call(pools_[choice], ++counts_.started));
}

Task<void> Workload::call(WatchedPool place, std::uint64_t number) {
  const Instant deadline = deadline_after(env_.scheduler.now(), spec_.max_wait);
  CallerWatch::Ticket ticket(place.watch, deadline);
  Result<PooledConnection> got = failure(Errc::closed, "");
  if (door_ == nullptr) {
    got = co_await place.pool.acquire(deadline);
  } else {
    got = co_await door_->acquire(place.pool, deadline);
  }
  if (!link_.is_dead()) note_wait(ticket.waited());
  const Instant now = env_.scheduler.now();
  if (got) {
    ticket.served(*got);
    trace_.add(TraceEvent::taken, link_.process(), now, got->id());
    co_await use(*got);
    trace_.add(TraceEvent::given_back, link_.process(), env_.scheduler.now(), number);
  } else {
    ticket.unserved(got.error());
    ++counts_.unserved;
    trace_.add(TraceEvent::unserved, link_.process(), now, number);
  }
  --active_;
}

// In a process that has died nobody pauses.
Task<void> Workload::use(PooledConnection& handle) {
  auto& connection = static_cast<SimConnection&>(handle.connection());
  for (int attempt = 1;; ++attempt) {
    Duration hold = spec_.hold_time;
    if (spec_.hold_jitter > Duration::zero())
      hold += env_.random.between(Duration::zero(), spec_.hold_jitter);
    if (hold > Duration::zero()) co_await link_.wait(env_.scheduler.now() + hold);
    if (!connection.run_transaction()) {
      ++counts_.lost;
      break;
    }
    if (!link_.database().draw_conflict()) {
      ++counts_.completed;
      break;
    }
    if (attempt > kMostRetries) break;
    const Duration pause = backoff_delay(kConflictBackoff, attempt, env_.random);
    co_await link_.wait(env_.scheduler.now() + pause);
  }
  if (draw_chance(spec_.discard_fraction, env_.random)) {
    handle.mark_broken();
  } else {
    handle.give_back();
  }
}

void Workload::note_wait(Duration waited) {
  for (LatencyHistogram* histogram : waits_) histogram->record(waited);
}

}  // namespace forebay::sim
