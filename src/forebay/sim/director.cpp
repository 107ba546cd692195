#include "forebay/sim/director.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::sim {
namespace {

// Nobody looks for the right one of a hundred names in a plot.
std::string names_of(const std::vector<Process*>& processes) {
  if (processes.size() > 3) return fmt::format("{} processes", processes.size());
  std::string text;
  for (const Process* process : processes) {
    if (!text.empty()) text += ", ";
    text += process->spec().name;
  }
  return text;
}

bool may_end_sessions(FaultKind kind) {
  switch (kind) {
    case FaultKind::store_outage:
    case FaultKind::clock_skew:
    case FaultKind::slow_connect:
    case FaultKind::connect_errors:
    case FaultKind::tenant_storm:
    case FaultKind::server_stall: return false;
    default: return true;
  }
}

// What the active faults together mean to one process.
struct Conditions {
  bool is_store_cut = false;
  bool is_database_cut = false;
  bool is_frozen = false;
  Duration skew{};
  std::vector<TenantStorm> storms;

  void add(const FaultSpec& fault) {
    if (fault.kind == FaultKind::partition) {
      is_store_cut |= fault.cuts_store;
      is_database_cut |= fault.cuts_database;
    }
    if (fault.kind == FaultKind::freeze) is_frozen = true;
    if (fault.kind == FaultKind::clock_skew) skew += fault.skew;
    if (fault.kind == FaultKind::tenant_storm) {
      TenantStorm storm;
      storm.tenants = fault.tenants;
      storm.factor = fault.factor;
      storms.push_back(storm);
    }
  }
};

}  // namespace

Director::Director(WorldParts parts, Scheduler& scheduler, Processes& processes,
                   std::size_t originals, std::vector<std::size_t> twin_of)
    : parts_(parts),
      scheduler_(scheduler),
      processes_(processes),
      originals_(originals),
      twin_of_(std::move(twin_of)),
      tasks_(scheduler),
      stopping_(scheduler) {}

void Director::start() {
  for (std::size_t i = 0; i < originals_; ++i) tasks_.spawn(start_later(*processes_[i]));
  for (const FaultSpec& fault : parts_.scenario.faults) {
    if (fault.kind == FaultKind::cold_start) continue;
    tasks_.spawn(run_fault(&fault));
  }
}

// True: that time has come. False: the run is over first.
Task<bool> Director::until(Duration at) {
  if (Instant(at) > end_of_run()) co_return false;
  const bool is_stopped = co_await stopping_.wait_until(Instant(at));
  co_return !is_stopped;
}

Task<void> Director::start_later(Process& process) {
  const bool has_come = co_await until(process.spec().start_delay);
  if (has_come) process.start();
}

Task<void> Director::run_fault(const FaultSpec* fault) {
  const bool has_come = co_await until(fault->at);
  if (!has_come) co_return;
  const bool is_storm = fault->kind == FaultKind::tenant_storm;
  const bool is_loss = may_end_sessions(fault->kind);
  ++happening_;
  storms_ += is_storm ? 1 : 0;
  losses_ += is_loss ? 1 : 0;
  last_change_ = scheduler_.now();
  if (!is_storm) last_disturbance_ = scheduler_.now();
  parts_.trace.add(TraceEvent::fault, static_cast<int>(fault->kind), scheduler_.now());
  switch (fault->kind) {
    case FaultKind::cold_start: break;
    case FaultKind::mass_drop: drop(*fault); break;
    case FaultKind::rolling_restart: co_await roll(fault); break;
    case FaultKind::crash: co_await crash(fault); break;
    case FaultKind::deploy: co_await deploy(fault); break;
    case FaultKind::broken_streams: break_streams(*fault); break;
    default: co_await last(fault); break;
  }
  --happening_;
  storms_ -= is_storm ? 1 : 0;
  losses_ -= is_loss ? 1 : 0;
  if (is_loss) last_loss_ = scheduler_.now();
  last_change_ = scheduler_.now();
  if (!is_storm) last_disturbance_ = scheduler_.now();
}

void Director::drop(const FaultSpec& fault) {
  const int cut = parts_.database.cut_fraction(fault.fraction, scheduler_.now());
  const std::size_t place =
      mark(fault, fmt::format("the server cut {} sessions ({:.0f} %)", cut, fault.fraction * 100));
  end_mark(place);
}

void Director::break_streams(const FaultSpec& fault) {
  int broken = 0;
  for (const Process* process : affected_and_up(fault)) {
    if (process->clients() == nullptr) continue;
    broken += parts_.wires->break_streams(process->spec().name, fault.fraction);
  }
  end_mark(mark(fault, fmt::format("{} streams of clients", broken)));
}

Task<void> Director::last(const FaultSpec* fault) {
  active_.push_back(fault);
  set_conditions();
  const std::vector<Process*> processes = affected_and_up(*fault);
  const std::size_t place = mark(*fault, names_of(processes));
  const bool has_end = fault->length > Duration::zero();
  const bool has_come =
      co_await until(has_end ? fault->at + fault->length : parts_.scenario.duration);
  if (!has_come) co_return;
  std::erase(active_, fault);
  set_conditions();
  end_mark(place);
}

// Only what was there can die, and comes back after `length`, if that is given.
Task<void> Director::crash(const FaultSpec* fault) {
  const std::vector<Process*> processes = affected_and_up(*fault);
  const std::size_t place = mark(*fault, names_of(processes));
  const bool comes_back = fault->length > Duration::zero();
  for (Process* process : processes) process->crash(comes_back);
  if (!comes_back) end_mark(place);
  if (!comes_back) co_return;
  const bool has_come = co_await until(fault->at + fault->length);
  if (!has_come) co_return;
  for (Process* process : processes) process->start();
  end_mark(place);
}

// Each restart is a fault of its own; between them the world is as healthy as any.
Task<void> Director::roll(const FaultSpec* fault) {
  --happening_;
  Duration at = fault->at;
  for (std::size_t i = 0;; ++i, at += fault->every) {
    const bool has_come = co_await until(at);
    if (!has_come) break;
    const std::vector<Process*> processes = affected_and_up(*fault);
    last_change_ = scheduler_.now();
    last_disturbance_ = scheduler_.now();
    if (processes.empty()) continue;
    Process& process = *processes[i % processes.size()];
    const std::size_t place = mark(*fault, process.spec().name);
    process.stop(true);
    end_mark(place);
  }
  ++happening_;
}

Task<void> Director::deploy(const FaultSpec* fault) {
  const std::vector<std::size_t> meant = affected_processes(parts_.scenario, *fault);
  std::vector<Process*> old_fleet;
  std::vector<Process*> new_fleet;
  for (std::size_t i = 0; i < twin_of_.size(); ++i) {
    Process& original = *processes_[twin_of_[i]];
    if (!std::ranges::binary_search(meant, twin_of_[i]) || !original.is_up()) continue;
    old_fleet.push_back(&original);
    new_fleet.push_back(processes_[originals_ + i].get());
  }
  const std::size_t place = mark(*fault, names_of(old_fleet));
  for (Process* process : new_fleet) process->start();
  const bool has_come = co_await until(fault->at + fault->overlap);
  if (!has_come) co_return;
  for (Process* process : old_fleet) process->stop(false);
  end_mark(place);
}

// What happens to an original happens to its twin, also if that starts later.
std::vector<Process*> Director::affected(const FaultSpec& fault) const {
  std::vector<Process*> result;
  for (const std::size_t index : affected_processes(parts_.scenario, fault)) {
    result.push_back(processes_[index].get());
    const auto twin = std::ranges::find(twin_of_, index);
    if (twin == twin_of_.end()) continue;
    const auto place = originals_ + static_cast<std::size_t>(twin - twin_of_.begin());
    result.push_back(processes_[place].get());
  }
  return result;
}

std::vector<Process*> Director::affected_and_up(const FaultSpec& fault) const {
  std::vector<Process*> result = affected(fault);
  std::erase_if(result, [](const Process* process) { return !process->is_up(); });
  return result;
}

void Director::set_conditions() {
  double connect_factor = 1;
  double connect_failures = parts_.scenario.database.connect_failures;
  bool is_store_away = false;
  for (const FaultSpec* fault : active_) {
    if (fault->kind == FaultKind::slow_connect) connect_factor *= fault->factor;
    if (fault->kind == FaultKind::connect_errors)
      connect_failures = std::max(connect_failures, fault->fraction);
    if (fault->kind == FaultKind::store_outage) is_store_away = true;
  }
  parts_.database.set_connect_factor(connect_factor);
  parts_.database.set_connect_failures(connect_failures);
  parts_.store.set_away(is_store_away);
  set_server_conditions();

  std::vector<Conditions> conditions(processes_.size());
  for (const FaultSpec* fault : active_) {
    for (const Process* process : affected(*fault)) {
      conditions[static_cast<std::size_t>(process->index())].add(*fault);
    }
  }
  Duration fastest{};
  Duration slowest{};
  for (const auto& process : processes_) {
    const Conditions& own = conditions[static_cast<std::size_t>(process->index())];
    process->set_link(own.is_store_cut, own.is_database_cut);
    process->set_storms(own.storms);
    if (process->set_frozen(own.is_frozen)) last_thaw_ = scheduler_.now();
    process->set_skew(own.skew);
    fastest = std::max(fastest, own.skew);
    slowest = std::min(slowest, own.skew);
  }
  skew_range_ = std::max(skew_range_, fastest - slowest);
}

void Director::set_server_conditions() {
  bool is_down = false;
  Instant stalled_until{};
  for (const FaultSpec* fault : active_) {
    if (fault->kind == FaultKind::server_restart) is_down = true;
    if (fault->kind == FaultKind::server_stall)
      stalled_until = std::max(stalled_until, Instant(fault->at + fault->length));
  }
  parts_.database.set_down(is_down, scheduler_.now());
  parts_.database.stall_until(stalled_until);
  if (parts_.wires == nullptr) return;
  parts_.wires->server().set_down(is_down);
  parts_.wires->server().stall_until(stalled_until);
}

bool Director::is_quiet_for(Duration time, Instant now) const {
  return happening_ == 0 && now - last_change_ >= time;
}

bool Director::is_lossless_for(Duration time, Instant now) const {
  return losses_ == 0 && now - time >= last_loss_;
}

bool Director::is_calm_for(Duration time, Instant now) const {
  return happening_ == storms_ && now - last_disturbance_ >= time;
}

std::size_t Director::mark(const FaultSpec& fault, std::string text) {
  FaultMark mark;
  mark.at = scheduler_.now().time_since_epoch();
  mark.until = kNever.time_since_epoch();
  mark.kind = name(fault.kind);
  mark.text = std::move(text);
  marks_.push_back(std::move(mark));
  return marks_.size() - 1;
}

void Director::end_mark(std::size_t mark) {
  marks_[mark].until = scheduler_.now().time_since_epoch();
}

}  // namespace forebay::sim
