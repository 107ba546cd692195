// LeaseStore: the small shared store in which processes enter how many connections they hold.
//
// It keeps one counter, `active`, and one record per holder. Always: the counter is the sum of what
// the records hold; both change together or not at all. The store has no clock and decides nothing
// by time: each request brings its caller's wall time, which is written down for people.
//
// Each acquire and release carries a sequence: 1, 2, 3 ... for one lease id, one at a time. The
// store applies the next number, and answers a repeated one as it did the first time, however much
// later. So (lease id, sequence) is the idempotency token: an error means that nobody knows
// whether the change was made, and sending the same change again is safe. Any other number is an
// old request that was delayed: nothing is done, and the answer is `lost`.
//
// A lease id is never used again once its lease has ended, so a record that is missing is `lost`.
//
// On DynamoDB each call is one conditional update, a transaction over the counter and one record,
// or a query; nothing is read before it is written.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

// For connections that exist already and must be counted, whatever the counter says.
inline constexpr int kNoLimit = std::numeric_limits<int>::max();

// One change of what a lease holds. Has a constructor because coroutines take it by value.
class LeaseChange {
 public:
  LeaseChange(std::string id, std::uint64_t number, int count)
      : lease_id(std::move(id)), sequence(number), connections(count) {}

  std::string lease_id;
  std::uint64_t sequence;
  int connections;  // > 0
};

class AcquireRequest {
 public:
  AcquireRequest(LeaseChange wanted, int most) : change(std::move(wanted)), limit(most) {}

  LeaseChange change;
  int limit;            // granted only if the counter is then at most this
  std::string service;  // who asks, for people
  WallTime now{};
  WallTime expires_at{};  // of the lease, if this request makes it
};

enum class AcquireOutcome : std::uint8_t {
  granted,        // all of them
  limit_reached,  // none of them; the sequence was not used up
  lost,           // the lease is gone: it was reaped, and nothing is held
};

struct AcquireReply {
  AcquireOutcome outcome = AcquireOutcome::lost;
  int active = 0;  // the counter, as this request left it
  int held = 0;    // by this lease, as this request left it
};

// Giving back the last connection ends the lease.
class ReleaseRequest {
 public:
  ReleaseRequest(LeaseChange back, WallTime wall_time) : change(std::move(back)), now(wall_time) {}

  LeaseChange change;
  WallTime now;
};

enum class HolderOutcome : std::uint8_t {
  done,
  lost,  // there is no such lease
};

struct ReleaseReply {
  HolderOutcome outcome = HolderOutcome::lost;
  int active = 0;
  int held = 0;
};

// Needs no sequence: it may be repeated and may overtake other requests.
class RenewRequest {
 public:
  RenewRequest(std::string id, WallTime wall_time, WallTime end)
      : lease_id(std::move(id)), now(wall_time), expires_at(end) {}

  std::string lease_id;
  WallTime now;
  WallTime expires_at;
};

struct RenewReply {
  HolderOutcome outcome = HolderOutcome::lost;
  int held = 0;
};

// What others see of a lease.
class LeaseRecord {
 public:
  LeaseRecord(std::string lease_id, std::string holder)
      : id(std::move(lease_id)), service(std::move(holder)) {}

  std::string id;
  std::string service;
  int held = 0;
  // Grows with every acquire, release and renewal: a holder is silent for as long as it stands.
  std::uint64_t version = 0;
  WallTime expires_at{};  // by its holder's clock, for people
};

// Ends somebody else's lease, if nothing has been heard of its holder since that version.
class ReapRequest {
 public:
  ReapRequest(std::string id, std::uint64_t seen, WallTime wall_time)
      : lease_id(std::move(id)), version(seen), now(wall_time) {}

  std::string lease_id;
  std::uint64_t version;
  WallTime now;
};

struct ReapReply {
  bool is_reaped = false;  // false: it is gone already, or its holder has been heard of
  int connections = 0;     // that came back
};

// Errors: timed_out (nobody knows whether it was done), connect_failed (the store is away),
// limit_reached (too many requests for the store now). No answer comes later than the deadline.
class LeaseStore {
 public:
  virtual ~LeaseStore() = default;
  virtual Task<Result<AcquireReply>> acquire(AcquireRequest request, Instant deadline) = 0;
  virtual Task<Result<ReleaseReply>> release(ReleaseRequest request, Instant deadline) = 0;
  virtual Task<Result<RenewReply>> renew(RenewRequest request, Instant deadline) = 0;
  // All leases there are, in no order that anybody may rely on.
  virtual Task<Result<std::vector<LeaseRecord>>> list(Instant deadline) = 0;
  virtual Task<Result<ReapReply>> reap(ReapRequest request, Instant deadline) = 0;
};

}  // namespace forebay
