// The coordination store as simulated processes see it: the in-memory model behind a network that
// delays, loses replies, throttles and fails.
//
// SimStore is the one store of the world, StoreLink a process's way to it. A request of a process
// that dies meanwhile may still arrive, as it may in life.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "forebay/coordination/memory_store.hpp"
#include "forebay/sim/connector.hpp"
#include "forebay/sim/promise_book.hpp"

namespace forebay::sim {

class SimStore {
 public:
  SimStore(const Scenario& scenario, int processes, std::uint64_t seed, Trace& trace);

  void set_away(bool is_away) { is_away_ = is_away; }
  bool is_away() const { return is_away_; }

  // Promise 4, for one process: what it holds covers what the server counts for it. Under the
  // policy `keep`, whoever lost its lease to a reaper while it was cut off may be above it for a
  // while; under the policy `local`, whoever had no answer.
  // overhang: what its lease agent knows to be in use without a lease.
  void check_leases(int process, int sessions, int overhang, PromiseBook& book) {
    if (!has_cap()) return;
    if (held_by(process) >= sessions) {
      if (overhang == 0) note_covered(process);
    } else if (!may_be_over(process)) {
      note_uncovered(process, sessions, book);
    }
  }
  bool has_cap() const { return limit_ > 0; }
  int limit() const { return limit_; }
  int active() const { return model_.active(); }
  int held_by(int process) const { return held_[static_cast<std::size_t>(process)]; }
  int held_under(const std::string& lease_id) const { return model_.held(lease_id); }
  // The cluster's limits may have been passed, as the policies allow: by connections that outlived
  // their lease, or by processes that went on without the store.
  bool had_overhang() const { return had_overhang_ || had_local_; }
  bool had_local() const { return had_local_; }
  // A new life begins: it holds nothing.
  void begin_life(int process);
  bool adds_up() const { return model_.held_in_all() == model_.active(); }
  std::uint64_t requests() const { return requests_; }
  std::string text_of(int process) const;

 private:
  friend class StoreLink;
  enum class Topic : std::uint8_t { leases, rate };
  bool may_be_over(int process) const {
    const auto place = static_cast<std::size_t>(process);
    return (is_keeping_ && was_reaped_[place]) || is_local_[place];
  }
  void note_uncovered(int process, int sessions, PromiseBook& book) const;
  void note_lease(const std::string& lease_id, int process);
  void recount(int process);
  void note_reaped(const std::string& lease_id);
  void note_contact(int process, Topic topic, bool is_answered);
  void note_covered(int process) {
    const auto place = static_cast<std::size_t>(process);
    was_reaped_[place] = false;
    if (has_contact_[place]) is_local_[place] = false;
  }

  const CoordinationSpec& spec_;
  const int limit_;  // 0: connections are not leased
  const bool is_keeping_;
  SeededRandom random_;
  Trace& trace_;
  MemoryCoordination model_;
  bool is_away_ = false;
  bool had_overhang_ = false;
  std::uint64_t requests_ = 0;
  // Leases that processes have had in the lives they are in, and whose they are. What an earlier
  // life left behind covers nothing of the next.
  std::map<std::string, int> owners_;
  std::vector<std::vector<std::string>> leases_;
  std::vector<int> held_;
  std::vector<bool> was_reaped_;
  std::vector<bool> is_local_;     // by policy, since a request had no answer
  std::vector<bool> has_contact_;  // the last request had one
  bool had_local_ = false;
};

class StoreLink final : public LeaseStore, public RateStore {
 public:
  StoreLink(SimStore& store, Link& link) : store_(store), link_(link) {}

  void set_cut(bool is_cut) { is_cut_ = is_cut; }

  Task<Result<AcquireReply>> acquire(AcquireRequest request, Instant deadline) override;
  Task<Result<ReleaseReply>> release(ReleaseRequest request, Instant deadline) override;
  Task<Result<RenewReply>> renew(RenewRequest request, Instant deadline) override;
  Task<Result<std::vector<LeaseRecord>>> list(Instant deadline) override;
  Task<Result<ReapReply>> reap(ReapRequest request, Instant deadline) override;
  Task<Result<TakeReply>> take(TakeRequest request, Instant deadline) override;

 private:
  template <class Reply, class Action>
  Task<Result<Reply>> ask(SimStore::Topic topic, Action action, Instant deadline);

  SimStore& store_;
  Link& link_;  // whose process it is, and whether that lives
  bool is_cut_ = false;
};

}  // namespace forebay::sim
