#include "forebay/sim/workload.hpp"

#include <algorithm>

#include "forebay/env/sleep.hpp"
#include "forebay/sim/latency.hpp"
#include "forebay/sim/scenario/service_pool.hpp"

namespace forebay::sim {

Workload::Workload(Env env, const SimLoops& loops, const ServiceSpec& spec,
                   std::vector<WatchedPlace> places, Link& link, WorkCounts& counts,
                   std::vector<LatencyHistogram*> waits, Trace& trace)
    : env_(env),
      spec_(spec.workload),
      places_(std::move(places)),
      choice_(static_cast<int>(places_.size()), spec.tenants.skew),
      link_(link),
      counts_(counts),
      waits_(std::move(waits)),
      trace_(trace),
      tasks_(env.scheduler),
      stopping_(env.scheduler) {
  for (int i = 0; i < loops.size(); ++i)
    callers_.push_back(std::make_unique<TaskGroup>(loops.at(i)));
}

void Workload::start() {
  if (!spec_.is_enabled) return;
  tasks_.spawn(spec_.arrivals_per_second > 0 ? keep_arriving() : keep_concurrency());
}

Task<void> Workload::wait_gone() {
  stop();
  co_await tasks_.join();
  for (const auto& callers : callers_) co_await callers->join();
  co_await resume_on(env_.scheduler);
}

Task<void> Workload::keep_concurrency() {
  co_await stopping_.wait_until(env_.scheduler.now() + spec_.start_after);
  while (!stopping_.is_cancelled()) {
    const double load = choice_.load();
    const int wanted = static_cast<int>(spec_.max_in_use * load);
    const int most = static_cast<int>(spec_.arrival_burst * std::max(1.0, load));
    const int missing = std::min(wanted - active_, most);
    for (int i = 0; i < missing; ++i) spawn_caller();
    co_await stopping_.wait_until(env_.scheduler.now() + spec_.spawn_every);
  }
}

Task<void> Workload::keep_arriving() {
  co_await stopping_.wait_until(env_.scheduler.now() + spec_.start_after);
  while (!stopping_.is_cancelled()) {
    const double rate = spec_.arrivals_per_second * choice_.load();
    const Duration longest(static_cast<std::int64_t>(2e9 / rate));
    const Duration pause = env_.random.between(Duration(1), longest);
    co_await stopping_.wait_until(env_.scheduler.now() + pause);
    if (!stopping_.is_cancelled()) spawn_caller();
  }
}

void Workload::spawn_caller() {
  const std::size_t choice = choice_.draw(env_.random);
  ++active_;
  callers_[next_loop_]->spawn(call(places_[choice], ++counts_.started));
  next_loop_ = next_loop_ + 1 < callers_.size() ? next_loop_ + 1 : 0;
}

Task<void> Workload::call(WatchedPlace at, std::uint64_t number) {
  AttemptBook book(retries_, env_.random, kNever, env_.scheduler.now());
  auto attempt_once = [this, at, number](int) { return attempt(at, number); };
  // In a process that has died nobody pauses.
  auto pause = [this](Instant until) { return link_.wait(until); };
  const Result<void> done = co_await run_attempts<void>(env_.scheduler, book, attempt_once, pause);
  ++(done ? counts_.completed : counts_.failed);
  --active_;
}

Task<Result<void>> Workload::attempt(WatchedPlace at, std::uint64_t number) {
  const Instant deadline = deadline_after(env_.scheduler.now(), spec_.max_wait);
  CallerWatch::Ticket ticket(at.watch, deadline);
  Result<PooledConnection> got = co_await at.place.acquire(deadline);
  if (!link_.is_dead()) note_wait(ticket.waited());
  const Instant now = env_.scheduler.now();
  if (!got) {
    ticket.unserved(got.error());
    trace_.add(TraceEvent::unserved, link_.process(), now, number);
    co_return failure(got.error());
  }
  ticket.served(*got);
  trace_.add(TraceEvent::taken, link_.process(), now, got->id());
  Result<void> outcome = co_await use(*got);
  trace_.add(TraceEvent::given_back, link_.process(), env_.scheduler.now(), number);
  co_return outcome;
}

Task<Result<void>> Workload::use(PooledConnection& handle) {
  auto& connection = static_cast<SimConnection&>(handle.connection());
  Duration hold = spec_.hold_time;
  if (spec_.hold_jitter > Duration::zero())
    hold += env_.random.between(Duration::zero(), spec_.hold_jitter);
  Result<void> outcome;
  if (draw_chance(spec_.slow_fraction, env_.random)) {
    const Instant deadline = deadline_after(env_.scheduler.now(), spec_.statement_timeout);
    outcome = co_await connection.run_statement(spec_.slow_time, deadline);
  } else if (hold > Duration::zero()) {
    co_await link_.wait(env_.scheduler.now() + hold);
  }
  if (outcome && !connection.run_transaction()) {
    outcome = failure(Errc::unknown_outcome, "no answer to COMMIT");
  } else if (outcome && link_.database().draw_conflict()) {
    outcome = failure(Error(Errc::statement_failed, ErrorClass::retryable,
                            "change conflicts with another transaction (OC000)", "40001"));
  }
  if (draw_chance(spec_.discard_fraction, env_.random)) {
    handle.mark_broken();
  } else {
    handle.give_back();
  }
  co_return outcome;
}

void Workload::note_wait(Duration waited) {
  for (LatencyHistogram* histogram : waits_) histogram->record(waited);
}

}  // namespace forebay::sim
