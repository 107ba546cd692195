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
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "forebay/coordination/leases/counter_watch.hpp"
#include "forebay/coordination/leases/lease_store.hpp"
#include "forebay/coordination/leases/silence_watch.hpp"
#include "forebay/coordination/store_contact.hpp"
#include "forebay/env/cancellation.hpp"
#include "forebay/env/env.hpp"

namespace forebay {

struct ReaperOptions {
  Duration ttl;         // says how often to look
  Duration reap_after;  // the least silence of a dead lease
  Duration longest_session;
  Duration request_timeout;
  bool is_counter_kept = true;  // false: whatever the counter says, it is left alone
  std::function<void(const LeaseListing&)> on_listing = {};  // told of each
};

// What one look at all leases has shown, and done.
struct LeaseLook {
  LeaseLook() = default;  // keeps it from being an aggregate: coroutines pass it on

  int reaped = 0;                // leases
  int connections = 0;           // that came back with them
  int unheard = 0;               // leases that gave no sign of life since the watch began
  Instant next = kNever;         // when the first of those turns out to be dead
  std::optional<Error> trouble;  // why something was not done; the next look may do it
};

class LeaseReaper {
 public:
  LeaseReaper(Env env, LeaseStore& store, StoreContact& contact, ReaperOptions options);

  // Looks again and again, until stop(). own names the lease that this process holds now.
  Task<void> run(const std::string& own);
  void stop();
  // Twice as often: somebody waits for what a look may show.
  void set_eager(bool is_eager) { is_eager_ = is_eager; }
  // Once. An error: there was no answer.
  Task<Result<LeaseLook>> look(const std::string& own);

  std::uint64_t reaped() const { return reaped_; }  // connections
  // Leases of the older kind count one each, because nobody knows how many processes they are.
  int known_processes() const { return known_processes_; }
  // The store's counter at the last look, and when that was.
  int listed_active() const { return listed_active_; }
  Instant listed_at() const { return listed_at_; }

 private:
  std::vector<SilenceWatch::Dead> compare(const LeaseListing& listing, const std::string& own);
  Task<Result<void>> recount(int active, int target, std::string mark);
  Task<Result<void>> reap(SilenceWatch::Dead dead, LeaseLook& look);
  Instant next_look();
  void log_failure(const Error& error);

  const Env env_;
  LeaseStore& store_;
  StoreContact& contact_;
  const Duration longest_session_;
  const Duration every_;
  const Duration request_timeout_;
  const bool is_counter_kept_;
  const std::function<void(const LeaseListing&)> on_listing_;
  Cancellation stopping_;
  SilenceWatch silence_;
  CounterWatch counter_;
  std::string told_;  // the last failure that was logged; empty: all is well
  bool is_eager_ = false;
  std::uint64_t reaped_ = 0;
  int known_processes_ = 0;
  int listed_active_ = 0;
  Instant listed_at_ = Instant::min();
};

}  // namespace forebay
