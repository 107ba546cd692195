#include "forebay/sim/checks/recovery_watch.hpp"

#include <algorithm>

namespace forebay::sim {

void RecoveryWatch::look(Instant now) {
  slowest_.resize(processes_.size());
  is_watched_.resize(director_.marks().size());
  for (std::size_t i = 0; i < is_watched_.size(); ++i) {
    if (is_watched_[i] || director_.marks()[i].until > now.time_since_epoch()) continue;
    is_watched_[i] = true;
    Recovery recovery;
    recovery.mark = i;
    for (const auto& process : processes_) recovery.missing.push_back(process.get());
    recoveries_.push_back(std::move(recovery));
  }
  for (const auto& process : processes_) note(*process, now);
}

void RecoveryWatch::note_full(const Process& process, Instant now) {
  const bool is_well = !process.is_wanted() || process.last_full() == now;
  if (!is_well) return;
  Duration& slowest = slowest_[static_cast<std::size_t>(process.index())];
  for (Recovery& recovery : recoveries_) {
    FaultMark& mark = director_.marks()[recovery.mark];
    const Duration took = now.time_since_epoch() - mark.until;
    if (std::erase(recovery.missing, &process) == 0) continue;
    if (process.is_wanted()) slowest = std::max(slowest, took);
    if (recovery.missing.empty()) mark.recovered_after = took;
  }
  std::erase_if(recoveries_, [](const Recovery& recovery) { return recovery.missing.empty(); });
}

std::vector<std::string> RecoveryWatch::later_than(Duration within, Duration end_of_run) {
  std::vector<bool> is_late(processes_.size());
  for (std::size_t i = 0; i < slowest_.size(); ++i) is_late[i] = slowest_[i] > within;
  for (const Recovery& recovery : recoveries_) {
    if (director_.marks()[recovery.mark].until >= end_of_run - within) continue;
    for (const Process* process : recovery.missing)
      is_late[static_cast<std::size_t>(process->index())] = true;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < is_late.size(); ++i) {
    if (is_late[i]) names.push_back(processes_[i]->spec().name);
  }
  return names;
}

}  // namespace forebay::sim
