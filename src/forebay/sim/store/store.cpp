#include "forebay/sim/store/store.hpp"

#include <fmt/format.h>

#include "forebay/sim/scenario/service_pool.hpp"
#include "forebay/sim/store/dynamo_store.hpp"
#include "forebay/sim/store/memory_link.hpp"

namespace forebay::sim {

SimStore::SimStore(const Scenario& scenario, int processes, std::uint64_t seed, Trace& trace)
    : spec_(scenario.coordination),
      limit_(spec_.is_enabled ? scenario.database.max_connections.value_or(0) : 0),
      is_keeping_(spec_.on_lease_loss == LeaseLoss::keep),
      random_(seed),
      trace_(trace),
      model_(rate_limits(cluster_options(scenario))),
      leases_(static_cast<std::size_t>(processes)),
      held_(static_cast<std::size_t>(processes)),
      was_reaped_(static_cast<std::size_t>(processes)),
      is_excused_(static_cast<std::size_t>(processes)),
      is_local_(static_cast<std::size_t>(processes)),
      has_contact_(static_cast<std::size_t>(processes)),
      is_rate_local_(static_cast<std::size_t>(processes)) {
  if (spec_.store == StoreKind::dynamodb)
    dynamo_ = std::make_unique<DynamoStore>(scenario, seed, *this, trace);
}

SimStore::~SimStore() = default;

std::unique_ptr<StoreLink> SimStore::make_link(Link& link, Env env) {
  if (dynamo_) return dynamo_->make_link(link.process(), env);
  return std::make_unique<MemoryLink>(*this, link);
}

void SimStore::set_away(bool is_away) {
  is_away_ = is_away;
  if (dynamo_) dynamo_->set_away(is_away);
}

int SimStore::active() const { return dynamo_ ? dynamo_->active() : model_.active(); }

int SimStore::held_under(const std::string& lease_id) const {
  return dynamo_ ? dynamo_->held(lease_id) : model_.held(lease_id);
}

bool SimStore::adds_up() const {
  return (dynamo_ ? dynamo_->held_in_all() : model_.held_in_all()) == active();
}

void SimStore::note_lease(const std::string& lease_id, int process) {
  if (owners_.emplace(lease_id, process).second)
    leases_[static_cast<std::size_t>(process)].push_back(lease_id);
}

int SimStore::owner_of(const std::string& lease_id) const {
  const auto owner = owners_.find(lease_id);
  return owner == owners_.end() ? -1 : owner->second;
}

void SimStore::begin_life(int process) {
  const auto place = static_cast<std::size_t>(process);
  for (const std::string& lease_id : leases_[place]) owners_.erase(lease_id);
  leases_[place].clear();
  held_[place] = 0;
  end_life(process);
}

// What policies allowed it was allowed to the living.
void SimStore::end_life(int process) {
  const auto place = static_cast<std::size_t>(process);
  was_reaped_[place] = false;
  is_local_[place] = false;
  is_excused_[place] = false;
  set_rate_local(process, false);
}

void SimStore::set_rate_local(int process, bool is_local) {
  const auto place = static_cast<std::size_t>(process);
  rate_locals_ += static_cast<int>(is_local) - static_cast<int>(is_rate_local_[place]);
  is_rate_local_[place] = is_local;
}

void SimStore::recount(int process) {
  const auto place = static_cast<std::size_t>(process);
  int held = 0;
  for (const std::string& lease_id : leases_[place]) held += held_under(lease_id);
  held_[place] = held;
}

void SimStore::note_changed(const std::string& lease_id) {
  const int owner = owner_of(lease_id);
  if (owner >= 0) recount(owner);
}

void SimStore::note_reaped(const std::string& lease_id) {
  const int owner = owner_of(lease_id);
  if (owner < 0) return;
  const auto place = static_cast<std::size_t>(owner);
  was_reaped_[place] = is_keeping_ || is_excused_[place];  // it lives, and keeps what it has
  recount(owner);
}

// A process without an answer may go on by itself, if its policy says so; the lease agent does
// until it has heard of its leases again.
void SimStore::note_contact(int process, Topic topic, bool is_answered) {
  const auto place = static_cast<std::size_t>(process);
  if (topic == Topic::leases) has_contact_[place] = is_answered;
  if (spec_.on_absence != StoreAbsence::local) return;
  if (topic == Topic::rate) set_rate_local(process, !is_answered);
  if (topic == Topic::leases && !is_answered) is_local_[place] = true;
}

void SimStore::note_uncovered(int process, int sessions, PromiseBook& book) const {
  book.note_broken(
      Promise::leases, process,
      fmt::format("the server counts {} sessions of a process that holds leases for {}", sessions,
                  held_by(process)));
}

std::string SimStore::text_of(int process) const {
  if (!has_cap()) return "connections are not leased";
  return fmt::format("it holds {} of {} leases, limit {}", held_by(process), active(), limit_);
}

}  // namespace forebay::sim
