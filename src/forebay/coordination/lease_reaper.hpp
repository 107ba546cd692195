// LeaseReaper: gives back what processes left behind that died without a word. Every process runs
// one; for each dead lease exactly one of them succeeds.
//
// It looks at all leases now and then and reaps the one whose version it has seen unchanged for a
// whole ttl, by its own monotonic clock. A holder counts its ttl from before that version was
// written, so nobody is reaped before its time, however wrong the clocks on the wall are. What was
// seen before a gap in this process's own contact with the store counts for nothing: after an
// outage everybody gets a whole ttl to be heard again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "forebay/coordination/lease_store.hpp"
#include "forebay/coordination/store_contact.hpp"
#include "forebay/env/condition.hpp"
#include "forebay/env/env.hpp"

namespace forebay {

class LeaseReaper {
 public:
  LeaseReaper(Env env, LeaseStore& store, StoreContact& contact, Duration ttl,
              Duration request_timeout);

  // own names the lease that this process holds now.
  Task<void> run(const std::string& own);
  void stop();

  std::uint64_t reaped() const { return reaped_; }  // connections
  int known_processes() const { return known_processes_; }

 private:
  struct Watch {
    std::uint64_t version = 0;
    Instant since{};
  };

  Task<bool> look(const std::string& own);
  std::vector<ReapRequest> compare(const std::vector<LeaseRecord>& records, const std::string& own);
  Task<void> reap(ReapRequest request);
  Instant next_look();

  const Env env_;
  LeaseStore& store_;
  StoreContact& contact_;
  const Duration patience_;  // ttl, and what monotonic clocks may differ by
  const Duration every_;
  const Duration request_timeout_;
  Condition stopping_;
  bool is_stopped_ = false;
  std::map<std::string, Watch> watches_;
  Instant watched_since_ = kNever;  // the contact in which the watches were made
  std::uint64_t reaped_ = 0;
  int known_processes_ = 0;
};

}  // namespace forebay
