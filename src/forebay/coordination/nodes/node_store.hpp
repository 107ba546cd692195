// NodeStore: the small shared store in which processes enter which node number each of them has, of
// those of one scope. NodeLease is who asks it.
//
// One record per number that was ever had. A record whose holder is silent is taken over by the
// next one who claims the number: the version must still be as it was seen. The store has no clock
// and decides nothing by time.
//
// A record also tells up to which time ids may have been made with its number. That never falls,
// and outlives the holder: the next holder makes ids with later times only, so that
// clocks need not agree.
//
// Every request may be repeated, and may be done long after its sender has given up: the holder's
// name, which is never used twice, says whose request it was.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class NodeRecord {
 public:
  explicit NodeRecord(int node) : number(node) {}

  int number;
  std::string holder;          // empty: nobody has it now
  std::uint64_t version = 0;   // grows with each change and each renewal
  Duration ttl{};              // how long its holder may be silent
  std::int64_t ids_until = 0;  // milliseconds since 1970
};

// To have a number that is free, or whose holder is silent.
class NodeClaim {
 public:
  NodeClaim(int node, std::string name) : number(node), holder(std::move(name)) {}

  int number;
  std::string holder;      // never used before
  std::uint64_t seen = 0;  // the version of the record; 0: there was none
  std::int64_t ids_until = 0;
  Duration ttl{};
  std::string service;  // for people
  WallTime now{};
};

// To keep it, and to make ids up to that time. If the record has a later time already, this is an
// old renewal that was delayed: nothing is done, and the answer is that it is not held.
class NodeRenewal {
 public:
  NodeRenewal(int node, std::string name, std::int64_t until, WallTime wall_time)
      : number(node), holder(std::move(name)), ids_until(until), now(wall_time) {}

  int number;
  std::string holder;
  std::int64_t ids_until;
  WallTime now;
};

// To give it back.
class NodeRelease {
 public:
  NodeRelease(int node, std::string name, WallTime wall_time)
      : number(node), holder(std::move(name)), now(wall_time) {}

  int number;
  std::string holder;
  WallTime now;
};

struct NodeReply {
  bool is_held = false;  // by the one who asked, now
};

// Errors: those of LeaseStore.
class NodeStore {
 public:
  virtual ~NodeStore() = default;
  // In no order that anybody may rely on.
  virtual Task<Result<std::vector<NodeRecord>>> list(Instant deadline) = 0;
  virtual Task<Result<NodeReply>> claim(NodeClaim claim, Instant deadline) = 0;
  virtual Task<Result<NodeReply>> renew(NodeRenewal renewal, Instant deadline) = 0;
  virtual Task<Result<NodeReply>> release(NodeRelease release, Instant deadline) = 0;
};

}  // namespace forebay
