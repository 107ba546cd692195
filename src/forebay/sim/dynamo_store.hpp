// DynamoStore: the coordination store as a simulated DynamoDB. Each process has the shipping client
// and the shipping stores on it; only the network is made up.
//
// What the leases in its table are is known from every change of an item, not from replies.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "forebay/sim/dynamodb/sim_http.hpp"
#include "forebay/sim/store.hpp"

namespace forebay::sim {

class DynamoStore {
 public:
  DynamoStore(const Scenario& scenario, RateLimits limits, std::uint64_t seed, SimStore& store,
              Trace& trace);
  DynamoStore(const DynamoStore&) = delete;
  DynamoStore& operator=(const DynamoStore&) = delete;

  std::unique_ptr<StoreLink> make_link(int process, Env env);
  void set_away(bool is_away) { network_.set_away(is_away); }

  int active() const { return active_; }  // the counter
  int held(const std::string& lease_id) const;
  int held_in_all() const { return held_in_all_; }

  // For links: a process is giving back what this lease holds, or some of it.
  void begin_release(const std::string& lease_id) { releasing_.insert(lease_id); }
  void end_release(const std::string& lease_id) { releasing_.erase(lease_id); }

 private:
  void note_change(const std::string& key, const aws::Item* after);
  void note_held(const std::string& lease_id, int held);
  void note_gone(const std::string& lease_id);
  void sweep(Instant now);

  const std::string endpoint_;
  const std::string lease_prefix_;
  const std::string counter_key_;
  const RateLimits limits_;
  SimStore& store_;
  dynamodb::Tables tables_;
  dynamodb::Service service_;
  dynamodb::Network network_;
  std::map<std::string, int> held_;  // by lease
  std::set<std::string> releasing_;
  int held_in_all_ = 0;
  int active_ = 0;
  Instant swept_at_{};
};

}  // namespace forebay::sim
