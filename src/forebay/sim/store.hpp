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
#include "forebay/sim/connector.hpp"
#include "forebay/sim/promise_book.hpp"

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
  int active() const;
  int held_by(int process) const { return held_[static_cast<std::size_t>(process)]; }
  int held_under(const std::string& lease_id) const;
  // The cluster's limits may have been passed, as the policies allow: by connections that outlived
  // their lease, or by processes that went on without the store.
  bool had_overhang() const { return had_overhang_ || had_local_; }
  bool had_local() const { return had_local_; }
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
    return (is_keeping_ && was_reaped_[place]) || is_local_[place];
  }
  void note_uncovered(int process, int sessions, PromiseBook& book) const;
  void recount(int process);
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
  bool had_overhang_ = false;
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

}  // namespace forebay::sim
