#include "forebay/proxy/session/server_statements.hpp"

namespace forebay::proxy {

ServerStatements::Entry* ServerStatements::find(std::uint64_t id) {
  const auto place = places_.find(id);
  return place == places_.end() ? nullptr : &*place->second;
}

ServerStatements::Entry& ServerStatements::use(const StatementRef& statement, std::uint64_t unit) {
  const auto [place, is_new] = places_.try_emplace(statement->id());
  if (is_new) {
    entries_.push_front({.statement = statement, .state = State::doubtful});
    place->second = entries_.begin();
  } else {
    entries_.splice(entries_.begin(), entries_, place->second);
  }
  entries_.front().used = unit;
  return entries_.front();
}

void ServerStatements::erase(std::uint64_t id) {
  const auto place = places_.find(id);
  if (place == places_.end()) return;
  entries_.erase(place->second);
  places_.erase(place);
}

void ServerStatements::clear() {
  places_.clear();
  entries_.clear();
}

void ServerStatements::doubt_all() {
  for (Entry& entry : entries_) entry.state = State::doubtful;
}

void ServerStatements::erase_doubtful() {
  std::erase_if(entries_, [this](const Entry& entry) {
    if (entry.state != State::doubtful) return false;
    places_.erase(entry.statement->id());
    return true;
  });
}

ServerStatements::Entry* ServerStatements::oldest(std::uint64_t unit) {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->used == unit) return nullptr;
    if (entry->state == State::there || entry->state == State::doubtful) return &*entry;
  }
  return nullptr;
}

std::string server_name(std::uint64_t id) { return "forebay_" + std::to_string(id); }

}  // namespace forebay::proxy
