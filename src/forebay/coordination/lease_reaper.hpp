// LeaseReaper: gives back what processes left behind that died without a word. Every process runs
// one; for each dead lease exactly one of them succeeds.
//
// It looks at all leases now and then and reaps the one whose version it has seen unchanged for as
// long as the lease says, by its own monotonic clock (SilenceWatch): a ttl, and the time for which
// the database may still count the sessions of a dead process. A holder counts its ttl from before
// that version was written, so nobody is reaped before its time, however wrong the clocks on the
// wall are. What was seen before a gap in this process's own contact with the store counts for
// nothing: after an outage everybody gets a whole ttl to be heard again.
//
// Clients of the older kind never renew, and lower the counter when a connection closes even if its
// lease was reaped. Their leases are reaped only after having been watched for as long as any
// session can live. The reaper also sets the counter right: see CounterWatch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/coordination/counter_watch.hpp"
#include "forebay/coordination/lease_store.hpp"
#include "forebay/coordination/silence_watch.hpp"
#include "forebay/coordination/store_contact.hpp"
#include "forebay/env/condition.hpp"
#include "forebay/env/env.hpp"

namespace forebay {

struct ReaperOptions {
  Duration ttl;         // says how often to look
  Duration reap_after;  // the least silence of a dead lease
  Duration longest_session;
  Duration request_timeout;
};

class LeaseReaper {
 public:
  LeaseReaper(Env env, LeaseStore& store, StoreContact& contact, ReaperOptions options);

  // own names the lease that this process holds now.
  Task<void> run(const std::string& own);
  void stop();

  std::uint64_t reaped() const { return reaped_; }  // connections
  // Leases of the older kind count one each, because nobody knows how many processes they are.
  int known_processes() const { return known_processes_; }
  // The store's counter at the last look, and when that was.
  int listed_active() const { return listed_active_; }
  Instant listed_at() const { return listed_at_; }

 private:
  Task<bool> look(const std::string& own);
  std::vector<SilenceWatch::Dead> compare(const LeaseListing& listing, const std::string& own);
  Task<void> recount(int active, int target, std::string mark);
  Task<void> reap(SilenceWatch::Dead dead);
  Instant next_look();
  void tell(const Error& error);

  const Env env_;
  LeaseStore& store_;
  StoreContact& contact_;
  const Duration longest_session_;
  const Duration every_;
  const Duration request_timeout_;
  Condition stopping_;
  bool is_stopped_ = false;
  SilenceWatch silence_;
  CounterWatch counter_;
  Instant watched_since_ = kNever;  // the contact in which the watches were made
  std::string told_;                // the last failure that was logged; empty: all is well
  std::uint64_t reaped_ = 0;
  int known_processes_ = 0;
  int listed_active_ = 0;
  Instant listed_at_ = Instant::min();
};

}  // namespace forebay
