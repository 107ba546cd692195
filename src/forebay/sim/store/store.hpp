// SimStore: the one coordination store of the world, and what the world knows of the leases in it.
// StoreLink: a process's way to it.
//
// Of the two kinds of stores, one is a model in memory behind a network that delays, loses replies,
// throttles and fails; the other is the shipping client and a simulated DynamoDB, see DynamoStore.
// Whichever it is, promise 4 is checked by what is in it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "forebay/coordination/memory_store.hpp"
#include "forebay/env/env.hpp"
#include "forebay/sim/checks/promise_book.hpp"
#include "forebay/sim/connector.hpp"

namespace forebay::sim {

class DynamoStore;

class StoreLink : public LeaseStore, public RateStore {
 public:
  virtual void set_cut(bool is_cut) = 0;
  virtual void die() = 0;  // the process has died
};

class SimStore {
 public:
  enum class Topic : std::uint8_t { leases, rate };

  SimStore(const Scenario& scenario, int processes, std::uint64_t seed, Trace& trace);
  SimStore(const SimStore&) = delete;
  SimStore& operator=(const SimStore&) = delete;
  ~SimStore();

  // The way of the process that the link is about. Its clock and its chance are those of env.
  std::unique_ptr<StoreLink> make_link(Link& link, Env env);

  void set_away(bool is_away);

  // Promise 4, for one process: what it holds covers what the server counts for it. Under the
  // policy `keep`, a process that lost its lease to a reaper while it was cut off may be above it
  // for a while; under any policy, one that lost it while it stood still; under the policy `local`,
  // one that had no answer.
  // overhang: what its lease agent knows to be in use without a lease. REQUIRES: has_cap().
  void check_leases(int process, int sessions, int overhang, PromiseBook& book) {
    if (held_by(process) >= sessions) {
      if (overhang == 0) note_covered(process);
    } else if (!may_be_over(process)) {
      note_uncovered(process, sessions, book);
    }
  }
  bool has_cap() const { return limit_ > 0; }
  int limit() const { return limit_; }
  int active() const;
  int held_by(int process) const { return held_[static_cast<std::size_t>(process)]; }
  int held_under(const std::string& lease_id) const;
  // The cluster's limit may be passed now, as the policies allow: what exists without a lease was
  // counted above it, or its process has died since.
  bool is_limit_passed(Instant now) const { return active() > limit_ || now <= left_over_until_; }
  // So may it by this process: it has more than its leases cover.
  bool is_over(int process, int sessions) const {
    return may_be_over(process) && sessions > held_by(process);
  }
  // Somebody may be connecting without the store's places of the rate.
  bool is_rate_local() const { return rate_locals_ > 0; }
  // A process that stands still cannot help losing its lease.
  void set_excused(int process, bool is_excused) {
    is_excused_[static_cast<std::size_t>(process)] = is_excused;
  }
  // It has died, and its sessions will be gone by then.
  void note_died(int process, Instant gone) {
    if (may_be_over(process)) left_over_until_ = std::max(left_over_until_, gone);
  }
  void end_life(int process);
  // A new life begins: it holds nothing.
  void begin_life(int process);
  bool adds_up() const;
  std::string text_of(int process) const;

  // -1: it is nobody's in the life that it is in.
  int owner_of(const std::string& lease_id) const;

  // What links tell.
  void note_lease(const std::string& lease_id, int process);
  void note_changed(const std::string& lease_id);  // its owner holds more or less
  void note_reaped(const std::string& lease_id);
  void note_contact(int process, Topic topic, bool is_answered);

 private:
  friend class MemoryLink;
  bool may_be_over(int process) const {
    const auto place = static_cast<std::size_t>(process);
    return was_reaped_[place] || is_local_[place];
  }
  void note_uncovered(int process, int sessions, PromiseBook& book) const;
  void recount(int process);
  void set_rate_local(int process, bool is_local);
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
  std::unique_ptr<DynamoStore> dynamo_;  // none: the model is the store
  bool is_away_ = false;
  Instant left_over_until_ = Instant::min();
  // Leases that processes have had in the lives they are in, and whose they are. What an earlier
  // life left behind covers nothing of the next.
  std::map<std::string, int> owners_;
  std::vector<std::vector<std::string>> leases_;
  std::vector<int> held_;
  std::vector<bool> was_reaped_;  // and may have been
  std::vector<bool> is_excused_;
  std::vector<bool> is_local_;     // by policy, since a request had no answer
  std::vector<bool> has_contact_;  // the last request had one
  std::vector<bool> is_rate_local_;
  int rate_locals_ = 0;  // how many of them
};

}  // namespace forebay::sim
