// SilenceWatch: which leases have not given a sign of life for too long, as one onlooker sees it.
//
// A lease counts as silent from when its version was first seen. It is dead after the time that
// stands in it, and at least that of the onlooker; leases of the older kind after the longest
// session. Pure; the caller passes the time, and says since when it has been in contact with the
// store: nobody may be blamed for a silence that was the store's.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "forebay/coordination/leases/lease_store.hpp"

namespace forebay {

// Monotonic clocks differ by parts in ten thousand at most; a hundredth is ample.
constexpr Duration with_clock_margin(Duration time) { return time + time / 100; }

class SilenceWatch {
 public:
  // A lease to be reaped, and for how long it was watched.
  class Dead {
   public:
    Dead(std::string lease_id, std::uint64_t seen, Duration time)
        : id(std::move(lease_id)), version(seen), watched(time) {}
    std::string id;
    std::uint64_t version;
    Duration watched;
  };

  SilenceWatch(Duration reap_after, Duration longest_session)
      : reap_after_(reap_after), longest_session_(std::max(reap_after, longest_session)) {}

  // What was seen in an earlier contact counts for nothing. True: this is a new one.
  bool begin(Instant contact_since) {
    const bool is_new = contact_since != contact_since_;
    if (is_new) watches_.clear();
    if (is_new) begun_ = kNever;
    contact_since_ = contact_since;
    return is_new;
  }
  // own is the lease of the onlooker, which is not watched.
  std::vector<Dead> look(const std::vector<LeaseRecord>& leases, const std::string& own,
                         Instant now) {
    std::vector<Dead> dead;
    std::map<std::string, Watch> watches;
    if (begun_ == kNever) begun_ = now;
    for (const LeaseRecord& lease : leases) {
      if (lease.id == own) continue;
      const auto known = watches_.find(lease.id);
      const bool is_silent = known != watches_.end() && known->second.version == lease.version;
      const Instant since = is_silent ? known->second.since : now;
      const Duration patience = with_clock_margin(
          lease.is_renewed ? std::max(reap_after_, lease.reap_after) : longest_session_);
      watches[lease.id] = Watch{lease.version, since, since + patience, lease.is_renewed};
      if (now - since >= patience) dead.emplace_back(lease.id, lease.version, patience);
    }
    watches_ = std::move(watches);
    return dead;
  }
  // It was reaped, or its holder has been heard of.
  void drop(const std::string& lease_id) { watches_.erase(lease_id); }

  // How many have given no sign of life since the watch began, of those that should.
  int unheard() const {
    const auto is_unheard = [this](const auto& entry) {
      return entry.second.is_renewed && entry.second.since == begun_;
    };
    return static_cast<int>(std::count_if(watches_.begin(), watches_.end(), is_unheard));
  }
  // When the next lease will turn out to be dead, unless it is heard of; kNever: none is watched.
  Instant next(Instant now) const {
    Instant next = kNever;
    for (const auto& [id, watch] : watches_) {
      if (watch.due > now) next = std::min(next, watch.due);
    }
    return next;
  }

 private:
  struct Watch {
    std::uint64_t version = 0;
    Instant since{};
    Instant due{};
    bool is_renewed = true;
  };

  const Duration reap_after_;
  const Duration longest_session_;
  std::map<std::string, Watch> watches_;
  Instant contact_since_ = kNever;
  Instant begun_ = kNever;  // the first look of this contact
};

}  // namespace forebay
