#include "forebay/sim/world.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/base/check_context.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/sim/checks/assertions.hpp"

namespace forebay::sim {
namespace {

// Streams of chance that must not disturb each other.
enum class Stream : std::uint64_t { ties = 1, database, store, wires };

std::uint64_t seed_of(const Scenario& scenario, Stream stream) {
  SeededRandom random(scenario.seed ^ static_cast<std::uint64_t>(stream) << 48);
  return random.next();
}

constexpr std::size_t kSamplesPerAudit = 4;

// Places that a process gave itself start within a second, and the gate lets a connect pass that is
// a quarter of a second late.
constexpr Duration kLocalTail = std::chrono::seconds(2);
constexpr Duration kThaw = std::chrono::seconds(1);

WaitPercentiles percentiles(const LatencyHistogram& histogram) {
  const LatencySnapshot snapshot = histogram.snapshot();
  WaitPercentiles waits;
  waits.count = snapshot.count();
  waits.p50 = snapshot.percentile(50);
  waits.p90 = snapshot.percentile(90);
  waits.p99 = snapshot.percentile(99);
  waits.p999 = snapshot.percentile(99.9);
  waits.max = snapshot.percentile(100);
  return waits;
}

Duration jitter_of(const Scenario& scenario) {
  return std::ranges::any_of(scenario.services, &is_proxy) ? WireSide::jitter(scenario.streams)
                                                           : Duration();
}

std::optional<Duration> since_zero(const std::optional<Instant>& time) {
  return time ? std::optional<Duration>(time->time_since_epoch()) : std::nullopt;
}

// Every process of the scenario, and behind them a twin of each that a deployment will replace.
std::vector<ServiceSpec> all_specs(const Scenario& scenario, std::vector<std::size_t>& twin_of) {
  for (const FaultSpec& fault : scenario.faults) {
    if (fault.kind != FaultKind::deploy) continue;
    const std::vector<std::size_t> meant = affected_processes(scenario, fault);
    twin_of.insert(twin_of.end(), meant.begin(), meant.end());
  }
  std::ranges::sort(twin_of);
  twin_of.erase(std::unique(twin_of.begin(), twin_of.end()), twin_of.end());
  std::vector<ServiceSpec> specs = processes(scenario);
  for (const std::size_t original : twin_of) {
    specs.push_back(specs[original]);
    specs.back().name += " (new)";
  }
  return specs;
}

}  // namespace

World::World(const Scenario& scenario, Tampering& tampering)
    : scenario_(scenario),
      specs_(all_specs(scenario, twin_of_)),
      database_(scenario_.database, static_cast<int>(specs_.size()),
                seed_of(scenario, Stream::database), trace_, jitter_of(scenario)),
      store_(scenario_, static_cast<int>(specs_.size()), seed_of(scenario, Stream::store), trace_),
      jitter_(jitter_of(scenario)),
      wires_(make_wires()),
      parts_{scenario_, timeline_, database_, store_,      trace_,
             book_,     waits_,    tampering, wires_.get()},
      director_(parts_, scheduler_, processes_, specs_.size() - twin_of_.size(), twin_of_),
      recoveries_(director_, processes_),
      supply_(parts_, specs_.size()),
      shares_(parts_) {
  // Half of the seeds break ties by chance.
  if (scenario_.seed % 2 == 0) timeline_.set_tie_seed(seed_of(scenario_, Stream::ties));
  scheduler_.set_label(-1);
  timeline_.join(scheduler_);
  if (wires_) {
    wires_->set_losses(
        [this] { return !director_.is_lossless_for(scenario_.healing, timeline_.now()); });
  }
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    processes_.push_back(std::make_unique<Process>(parts_, specs_[i], static_cast<int>(i)));
  }
}

std::unique_ptr<WireSide> World::make_wires() {
  if (!std::ranges::any_of(specs_, &is_proxy)) return nullptr;
  const WireServerParts server{specs_, database_, trace_, book_};
  return std::make_unique<WireSide>(scenario_, server, timeline_,
                                    seed_of(scenario_, Stream::wires));
}

bool World::is_healthy() const {
  return director_.is_quiet_for(scenario_.healing, timeline_.now()) &&
         scenario_.database.connect_failures == 0;
}

// What is still running dies, and the director and the samples run out.
World::~World() {
  timeline_.leave(scheduler_);
  is_over_ = true;
  director_.stop();
  scheduler_.run();
  for (const auto& process : processes_) process->kill();
  if (wires_) wires_->end();
  processes_.clear();
}

RunResult World::run(RunWatch* watch) {
  const CheckContext context([this] {
    return fmt::format("in {}, seed {}, at {} of virtual time, after event {}", scenario_.name,
                       scenario_.seed, duration_text(timeline_.now().time_since_epoch()), events_);
  });
  director_.start();
  start_detached(scheduler_, take_samples(watch));
  const Instant end(scenario_.duration);
  while (!is_over_ && book_.is_clean()) {
    const SimScheduler* scheduler = timeline_.step_until(end);
    if (scheduler == nullptr) break;
    ++events_;
    after_step(*scheduler);
  }
  check_everyone();
  finish(result_);
  return std::move(result_);
}

Task<void> World::take_samples(RunWatch* watch) {
  for (Instant next{}; !is_over_; next += scenario_.sample_every) {
    co_await sleep_until(scheduler_, next);
    if (is_over_) co_return;
    sample();
    if (watch != nullptr && !watch->go_on(next.time_since_epoch(), events_)) is_over_ = true;
  }
}

// ---- after every event

void World::after_step(const SimScheduler& scheduler) {
  if (scheduler.label() >= 0) {
    Process& process = *processes_[static_cast<std::size_t>(scheduler.label())];
    process.after_step();
    recoveries_.note(process, timeline_.now());
  } else if (scheduler.label() == WireSide::kClients) {
    return;  // they ask, and change nothing themselves
  } else if (scheduler.label() == WireSide::kServer) {
    for (const int process : wires_->server().take_touched())
      processes_[static_cast<std::size_t>(process)]->after_step();
  } else {
    // The director may have done anything to anybody.
    for (const auto& process : processes_) process->after_step();
    recoveries_.look(timeline_.now());
  }
  check_cluster();
}

// The rate is not kept in common while a process has no answer from the store; and one that goes on
// after it stood still makes connects whose time was a moment ago.
void World::watch_rate() {
  const Instant now = timeline_.now();
  if (store_.is_rate_local()) rate_free_until_ = now + kLocalTail;
  if (director_.last_thaw() == now) rate_free_until_ = std::max(rate_free_until_, now + kThaw);
  database_.set_rate_promised(now > rate_free_until_);
}

// Of what was refused each was tried by one of them, and counts for nobody.
bool World::is_cap_waived(std::uint64_t refused) const {
  const int more = refused > 0 ? 1 : 0;
  return store_.is_limit_passed(timeline_.now()) ||
         std::ranges::any_of(processes_, [this, more](const auto& process) {
           const int sessions = database_.sessions_of(process->index());
           return store_.is_over(process->index(), sessions + more);
         });
}

void World::check_cluster() {
  if (!scenario_.coordination.is_enabled) return;
  watch_rate();
  if (database_.most_too_early() > director_.skew_range() + jitter_) {
    book_.note_broken(
        Promise::rate, -1,
        fmt::format("a connect came {} too early for {} connects a second with "
                    "burst {}; clocks differ by {} at most",
                    duration_text(database_.most_too_early()),
                    scenario_.database.connects_per_second, scenario_.database.connect_burst,
                    duration_text(director_.skew_range())));
  }
  const std::uint64_t refused = database_.refused_by_cap() - refused_by_cap_;
  refused_by_cap_ += refused;
  if (refused > 0 && !is_cap_waived(refused)) {
    book_.note_broken(Promise::cap, -1,
                      fmt::format("the server refused a connect: {} sessions, and it allows {}",
                                  database_.sessions(), *scenario_.database.max_connections));
  }
  // What the dead have left counts here too.
  if (store_.has_cap() && database_.sessions() > store_.active()) {
    database_.advance(timeline_.now());
    if (database_.sessions() <= store_.active() || is_cap_waived(0)) return;
    book_.note_broken(Promise::leases, -1,
                      fmt::format("the server counts {} sessions, and all leases are {}",
                                  database_.sessions(), store_.active()));
  }
}

// ---- at every sample

void World::sample() {
  const Instant now = timeline_.now();
  database_.advance(now);
  const bool is_world_healthy = is_healthy();
  const bool is_calm =
      director_.is_calm_for(scenario_.healing, now) && scenario_.database.connect_failures == 0;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    result_.services.resize(processes_.size());
    result_.services[i].samples.push_back(processes_[i]->sample());
    supply_.look(*processes_[i], is_world_healthy);
    processes_[i]->look_at_clients(is_world_healthy);
    shares_.look(*processes_[i], is_calm);
  }
  ClusterSample cluster;
  cluster.at = now.time_since_epoch();
  cluster.connects = static_cast<int>(database_.connects() -
                                      std::exchange(connects_before_, database_.connects()));
  cluster.refused =
      static_cast<int>(database_.refused() - std::exchange(refused_before_, database_.refused()));
  cluster.closures =
      static_cast<int>(database_.ended() - std::exchange(ended_before_, database_.ended()));
  cluster.sessions = database_.sessions();
  cluster.leases = store_.active();
  cluster.lease_limit = store_.limit();
  result_.cluster.push_back(cluster);

  // A full audit of one process at a time, and not at every sample: it looks at every connection.
  const std::size_t turn = result_.cluster.size() / kSamplesPerAudit % processes_.size();
  const bool is_turn = result_.cluster.size() % kSamplesPerAudit == 0;
  if (is_turn && processes_[turn]->life() != nullptr) processes_[turn]->life()->audit();
  if (!is_lease_count_exact()) {
    leases_exact_at_.reset();
  } else if (!leases_exact_at_) {
    leases_exact_at_ = now.time_since_epoch();
  }
}

bool World::is_lease_count_exact() const {
  int held = 0;
  for (const auto& process : processes_) {
    if (process->life() != nullptr) held += process->life()->leases_in_store();
  }
  return held == store_.active();
}

void World::check_everyone() {
  if (!book_.is_clean()) return;
  for (const auto& process : processes_) {
    if (process->life() == nullptr) continue;
    process->after_step();
    if (process->life() != nullptr) process->life()->audit();
    process->check_idle();
  }
  if (!store_.adds_up()) {
    book_.note_broken(Promise::leases, -1, "the store's counter is not the sum of its leases");
  }
}

// ---- at the end

void World::finish(RunResult& result) {
  result.scenario = scenario_.name;
  result.description = scenario_.description;
  result.seed = scenario_.seed;
  result.events = events_;
  result.duration = timeline_.now().time_since_epoch();
  result.sample_every = scenario_.sample_every;
  result.connects_per_second = scenario_.database.connects_per_second;
  result.connect_burst = scenario_.database.connect_burst;
  result.max_connections = scenario_.database.max_connections;
  result.most_sessions = database_.most_sessions();
  result.most_connects_in_a_second = database_.most_connects_in_a_second();
  result.conflicts = database_.conflicts();
  result.waits = percentiles(waits_);
  result.services.resize(processes_.size());
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Process& process = *processes_[i];
    ServiceResult& service = result.services[i];
    service.name = process.spec().name;
    service.target = process.expected_open();
    service.waits = percentiles(process.waits());
    service.started_at = since_zero(process.started_at());
    service.unstable_at = since_zero(process.unstable_at());
    service.open_at_end = process.open();
    service.end = process.end();
    service.clients = process.client_figures();
    if (process.converged_at())
      service.converged_after = *process.converged_at() - *process.started_at();
  }
  result.faults = director_.marks();
  // What has not ended when the run does lasts to its end.
  for (FaultMark& fault : result.faults) fault.until = std::min(fault.until, result.duration);
  trace_.add(TraceEvent::ended, -1, timeline_.now(), events_);
  result.trace_hash = trace_.hash();
  describe_breach(result);
  Judged judged;
  judged.most_ended_in_a_second = database_.most_ended_in_a_second();
  judged.second_of_most_ended = database_.second_of_most_ended().time_since_epoch();
  judged.busiest_second = database_.busiest_second().time_since_epoch();
  judged.last_change = director_.last_change().time_since_epoch();
  judged.leases_exact_at = leases_exact_at_;
  judged.waits = waits_.snapshot();
  for (const auto& process : processes_) judged.waits_of.push_back(process->waits().snapshot());
  if (scenario_.assertions.recover_within) {
    judged.recovered_late =
        recoveries_.later_than(*scenario_.assertions.recover_within, result.duration);
  }
  result.assertions = judge(scenario_.assertions, judged, result);
}

void World::describe_breach(RunResult& result) {
  if (book_.is_clean()) return;
  BrokenPromise broken = *book_.broken();
  const int process = book_.process();
  broken.when = timeline_.now().time_since_epoch();
  broken.event = events_;
  broken.process = process < 0 ? "" : processes_[static_cast<std::size_t>(process)]->spec().name;
  broken.state = state_text(process);
  result.broken_promise = std::move(broken);
}

std::string World::state_text(int process) const {
  std::string text = fmt::format("{} sessions at the server, {} connects so far, {} leases",
                                 database_.sessions(), database_.connects(), store_.active());
  if (process >= 0) text += "; " + processes_[static_cast<std::size_t>(process)]->text();
  return text;
}

}  // namespace forebay::sim
