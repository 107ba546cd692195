#include "forebay/postgres/driver/statement_cache.hpp"

#include <utility>

#include <fmt/format.h>

namespace forebay::postgres {
namespace {

constexpr std::size_t kLongestName = 63;  // PostgreSQL compares no more of a name
constexpr std::string_view kNoSuchStatement = "26000";
constexpr std::string_view kPlanIsWrong = "0A000";  // among other things

}  // namespace

StatementCache::Known& StatementCache::use(const std::string& sql) {
  // Often it is the latest again, and to compare two texts costs less than to hash one.
  if (known_.empty() || known_.front().sql != sql) bring_to_front(sql);
  Known& known = known_.front();
  ++known.uses;
  return known;
}

void StatementCache::bring_to_front(const std::string& sql) {
  const auto found = by_sql_.find(sql);
  if (found != by_sql_.end()) {
    known_.splice(known_.begin(), known_, found->second);
    return;
  }
  make_room();
  known_.emplace_front(sql);
  by_sql_.emplace(known_.front().sql, known_.begin());
  if (reads_texts()) reading_of(known_.front());
}

StatementCache::Known* StatementCache::find(const std::string& sql) {
  const auto found = by_sql_.find(sql);
  return found != by_sql_.end() ? &*found->second : nullptr;
}

bool StatementCache::is_ready(const std::string& sql) {
  if (known_.empty()) return false;
  const Known* const known = known_.front().sql == sql ? &known_.front() : find(sql);
  return known != nullptr && !known->server_name.empty();
}

const wire::StatementReading& StatementCache::reading_of(Known& known) {
  if (!known.is_read) {
    known.reading = wire::read_statement(known.sql, options_.trusted_functions);
    known.is_read = true;
  }
  return known.reading;
}

// At least one is known: the one that is being used.
void StatementCache::make_room() {
  const auto limit = static_cast<std::size_t>(std::max(options_.statement_cache_size, 1));
  while (known_.size() >= limit) {
    note_stale(known_.back());
    by_sql_.erase(known_.back().sql);
    known_.pop_back();
  }
}

bool StatementCache::is_worth_preparing(const Known& known) const {
  switch (options_.statement_cache) {
    case StatementCaching::off: return false;
    case StatementCaching::automatic: return known.reading.is_preparable && known.uses > 1;
    case StatementCaching::eager: return known.reading.is_preparable;
  }
  return false;
}

std::string StatementCache::new_name(std::string_view label) {
  std::string name = fmt::format("forebay_{}", ++named_);
  if (!label.empty() && name.size() + 1 + label.size() <= kLongestName)
    name += fmt::format("_{}", label);
  return name;
}

void StatementCache::note_stale(Known& known) {
  if (!known.server_name.empty()) stale_.push_back(std::move(known.server_name));
  known.server_name.clear();
}

bool StatementCache::note_refused(Known& known, std::string_view sqlstate) {
  if (sqlstate == kNoSuchStatement) {
    note_lost(known);  // its user has deallocated it, or a pooler has other servers
    return true;
  }
  if (sqlstate != kPlanIsWrong) return false;
  note_stale(known);
  return true;
}

void StatementCache::note_all_dropped() {
  stale_.clear();
  for (Known& known : known_) known.server_name.clear();
}

}  // namespace forebay::postgres
