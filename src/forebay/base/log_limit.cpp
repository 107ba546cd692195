#include "forebay/base/log_limit.hpp"

#include <algorithm>
#include <utility>

namespace forebay::log {

LogLimit::Verdict LogLimit::note(const Event& event, Instant now) {
  Kind& kind = kinds_[key_of(event, now)];
  if (now >= kind.until) {
    const Verdict verdict{true, kind.held_back};
    kind = Kind();
    kind.until = now + rule_.window;
    kind.told = 1;
    return verdict;
  }
  if (kind.told < rule_.most) {
    ++kind.told;
    return {};
  }
  ++kind.held_back;
  kind.last.emplace(event);
  next_due_ = std::min(next_due_, kind.until);
  return {false, 0};
}

std::vector<LogLimit::Repeats> LogLimit::take_due(Instant now) {
  std::vector<Repeats> due;
  if (now < next_due_) return due;
  next_due_ = kNever;
  for (auto& [key, kind] : kinds_) {
    if (kind.held_back == 0) continue;
    if (now < kind.until) {
      next_due_ = std::min(next_due_, kind.until);
      continue;
    }
    due.push_back({std::move(*kind.last), std::exchange(kind.held_back, 0)});
    kind.last.reset();
  }
  forget_ended(now);
  return due;
}

std::string LogLimit::key_of(const Event& event, Instant now) {
  std::string key(event.message);
  std::string full = key;
  for (const char* const part : {"pool", "reason"}) {
    full += '\0';
    full += event.text(part).value_or("");
  }
  if (kinds_.size() < rule_.most_kinds || kinds_.contains(full)) return full;
  forget_ended(now);
  return kinds_.size() < rule_.most_kinds ? full : key;
}

void LogLimit::forget_ended(Instant now) {
  std::erase_if(kinds_, [now](const auto& entry) {
    return now >= entry.second.until && entry.second.held_back == 0;
  });
}

}  // namespace forebay::log
