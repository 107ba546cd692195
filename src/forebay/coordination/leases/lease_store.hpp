// LeaseStore: the small shared store in which processes enter how many connections they hold.
//
// It keeps one counter, `active`, and one record per holder. Both change together or not at all, so
// the counter is the sum of what the records hold, unless somebody else wrote into the store: a
// person, or clients of the older kind, whose records a store may delete by itself. The store has
// no clock and decides nothing by time: each request brings its caller's wall time, which is
// written down for people.
//
// Each acquire and release carries a sequence: 1, 2, 3 ... for one lease id, one at a time. The
// store applies the next number, and answers a repeated one as it did the first time, however much
// later. So (lease id, sequence) is the idempotency token: an error means that nobody knows
// whether the change was made, and sending the same change again is safe. Any other number is an
// old request that was delayed: nothing is done, and the answer is `lost`.
//
// A lease id is never used again once its lease has ended, so a record that is missing is `lost`.
//
// Replies tell the counter as the request left it, or as it was a moment later.
#pragma once

#include <algorithm>
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
  Duration reap_after{};  // of the lease, if this request makes it: the silence that ends it
};

enum class AcquireOutcome : std::uint8_t {
  granted,        // all of them
  limit_reached,  // none of them; the sequence was not used up
  lost,           // the lease is gone: it was reaped, and nothing is held
};

struct AcquireReply {
  AcquireOutcome outcome = AcquireOutcome::lost;
  int active = 0;  // the counter, then or a moment later
  int held = 0;    // granted: by this lease
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
  int active = 0;  // the counter, then or a moment later
  int held = 0;    // done: by this lease
};

// What a process would have, for others to see.
struct LeaseClaim {
  int wanted = 0;     // connections, at the last refusal; not above what it holds: it has enough
  int min_share = 0;  // of those, what others leave to it before they share evenly
  bool operator==(const LeaseClaim&) const = default;
};

// Needs no sequence: it may be repeated and may overtake other requests.
class RenewRequest {
 public:
  RenewRequest(std::string id, WallTime wall_time) : lease_id(std::move(id)), now(wall_time) {}

  std::string lease_id;
  WallTime now;
  LeaseClaim claim;
  // A process that holds nothing and wants something makes a lease with nothing in it, so that
  // others see its claim. These two as in AcquireRequest.
  bool makes = false;
  std::string service;
  Duration reap_after{};
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
  // False: made by a client of the older kind. It has one record per connection, never renews it,
  // and lowers the counter when the connection closes whether or not the record is still there.
  bool is_renewed = true;
  LeaseClaim claim;
  Duration reap_after{};  // the silence that ends it; 0: not known
  WallTime created_at{};  // these two by its holder's clock, for people
  WallTime renewed_at{};  // when it was last heard of
};

// All leases there are, in no order that anybody may rely on, and the counter as it was before they
// were read.
class LeaseListing {
 public:
  LeaseListing(int counter, std::string counter_mark)
      : active(counter), mark(std::move(counter_mark)) {}

  int held_in_all() const {
    std::int64_t sum = 0;
    for (const LeaseRecord& lease : leases) sum += lease.held;
    return static_cast<int>(std::min<std::int64_t>(sum, std::numeric_limits<int>::max()));
  }

  // The drift: what the counter has more than the leases hold; negative: less.
  int surplus() const { return active - held_in_all(); }

  int active;
  std::string mark;      // of this state of the counter
  bool is_still = true;  // false: the counter changed while the leases were read
  std::vector<LeaseRecord> leases;
};

// Sets the counter right, if nothing has changed since the listing that had this mark.
class RecountRequest {
 public:
  RecountRequest(std::string seen, int counter, WallTime wall_time)
      : mark(std::move(seen)), active(counter), now(wall_time) {}

  std::string mark;
  int active;  // >= 0
  WallTime now;
};

struct RecountReply {
  bool is_done = false;  // false: the counter has changed since
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
// limit_reached (too many requests for the store now), refused and invalid (somebody must set
// something right first). No answer comes later than the deadline.
class LeaseStore {
 public:
  virtual ~LeaseStore() = default;
  virtual Task<Result<AcquireReply>> acquire(AcquireRequest request, Instant deadline) = 0;
  virtual Task<Result<ReleaseReply>> release(ReleaseRequest request, Instant deadline) = 0;
  virtual Task<Result<RenewReply>> renew(RenewRequest request, Instant deadline) = 0;
  virtual Task<Result<LeaseListing>> list(Instant deadline) = 0;
  virtual Task<Result<ReapReply>> reap(ReapRequest request, Instant deadline) = 0;
  virtual Task<Result<RecountReply>> recount(RecountRequest request, Instant deadline) = 0;
};

}  // namespace forebay
