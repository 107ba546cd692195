// The store in memory and the one on DynamoDB are the same store: whatever is asked, in whatever
// order, both give the same answer. So what the simulator shows with one holds for the other.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "forebay/coordination/memory_store.hpp"
#include "support/sim_dynamo_world.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

// Chooses requests and compares answers.
class TwoStores {
 public:
  explicit TwoStores(RateLimits limits) : memory_(limits), world_(limits) {}

  void lease_step() {
    now_ += std::chrono::milliseconds(*rc::gen::inRange(0, 5000));
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
      case 1:
      case 2: acquire(); break;
      case 3:
      case 4: release(); break;
      case 5: renew(); break;
      case 6: reap(); break;
      default: recount();
    }
    compare_listings();
  }

  void take(bool may_repeat) {
    now_ += std::chrono::milliseconds(*rc::gen::inRange(0, 300));
    const Duration skew = std::chrono::milliseconds(*rc::gen::inRange(-2000, 2000));
    const Duration notice = std::chrono::milliseconds(*rc::gen::inRange(0, 1500));
    // A token that was the last is known to both; of others only the memory knows.
    if (!may_repeat || *rc::gen::inRange(0, 4) > 0) ++token_;
    const TakeRequest request(RequestToken{token_, token_}, *rc::gen::inRange(1, 64), now_ + skew,
                              notice);
    const std::size_t process = *rc::gen::inRange<std::size_t>(0, StoreWorld::kProcesses);
    const TakeReply expected = memory_.take(request);
    const TakeReply reply = ask(world_.rates(process).take(request, world_.deadline()));
    RC_ASSERT(reply.granted == expected.granted);
    RC_ASSERT(reply.now == expected.now);
    RC_ASSERT(reply.retry_at == expected.retry_at);
    for (int i = 0; i < reply.granted; ++i) RC_ASSERT(reply.start(i) == expected.start(i));
  }

 private:
  LeaseChange any_change() {
    const std::string id(1, static_cast<char>('a' + *rc::gen::inRange(0, 4)));
    // Mostly the next, sometimes a repeated, late or impossible one.
    const std::uint64_t step = *rc::gen::element<std::uint64_t>(0, 1, 1, 1, 1, 2);
    const std::uint64_t sequence = std::max<std::uint64_t>(1, sequences_[id] + step);
    return LeaseChange(id, sequence, *rc::gen::inRange(1, 10));
  }
  LeaseStore& any_store() {
    return world_.leases(*rc::gen::inRange<std::size_t>(0, StoreWorld::kProcesses));
  }
  template <class Reply>
  Reply ask(Task<Result<Reply>> task) {
    return world_.ask(std::move(task)).value();
  }

  void acquire() {
    AcquireRequest request(any_change(), *rc::gen::element(15, 15, 15, kNoLimit));
    request.service = "test";
    request.now = now_;
    const AcquireReply expected = memory_.acquire(request);
    const AcquireReply reply = ask(any_store().acquire(request, world_.deadline()));
    RC_ASSERT(reply.outcome == expected.outcome);
    RC_ASSERT(reply.active == expected.active);
    RC_ASSERT(reply.held == expected.held);
    if (reply.outcome == AcquireOutcome::granted)
      sequences_[request.change.lease_id] = request.change.sequence;
  }
  void release() {
    const ReleaseRequest request(any_change(), now_);
    const ReleaseReply expected = memory_.release(request);
    const ReleaseReply reply = ask(any_store().release(request, world_.deadline()));
    RC_ASSERT(reply.outcome == expected.outcome);
    RC_ASSERT(reply.active == expected.active);
    RC_ASSERT(reply.held == expected.held);
    if (reply.outcome == HolderOutcome::done)
      sequences_[request.change.lease_id] = reply.held == 0 ? 0 : request.change.sequence;
  }
  void renew() {
    const RenewRequest request(any_change().lease_id, now_);
    const RenewReply expected = memory_.renew(request);
    const RenewReply reply = ask(any_store().renew(request, world_.deadline()));
    RC_ASSERT(reply.outcome == expected.outcome);
    RC_ASSERT(reply.held == expected.held);
  }
  void reap() {
    const LeaseListing listing = memory_.list();
    if (listing.leases.empty()) return;
    const LeaseRecord& lease =
        listing.leases[*rc::gen::inRange<std::size_t>(0, listing.leases.size())];
    const ReapRequest request(lease.id, lease.version - *rc::gen::inRange<std::uint64_t>(0, 2),
                              now_);
    const ReapReply expected = memory_.reap(request);
    const ReapReply reply = ask(any_store().reap(request, world_.deadline()));
    RC_ASSERT(reply.is_reaped == expected.is_reaped);
    RC_ASSERT(reply.connections == expected.connections);
    if (reply.is_reaped) sequences_[lease.id] = 0;
  }
  // With the last mark, or with the one before the last change.
  void recount() {
    const int active = *rc::gen::inRange(0, 20);
    const bool expected = memory_.recount(RecountRequest(memory_mark_, active, now_)).is_done;
    RecountRequest request(world_mark_, active, now_);
    RC_ASSERT(ask(any_store().recount(request, world_.deadline())).is_done == expected);
  }

  void compare_listings() {
    const LeaseListing expected = memory_.list();
    LeaseListing listing = ask(any_store().list(world_.deadline()));
    std::sort(listing.leases.begin(), listing.leases.end(),
              [](const LeaseRecord& a, const LeaseRecord& b) { return a.id < b.id; });
    RC_ASSERT(listing.active == expected.active);
    RC_ASSERT(listing.leases.size() == expected.leases.size());
    for (std::size_t i = 0; i < listing.leases.size(); ++i) {
      const LeaseRecord& one = listing.leases[i];
      const LeaseRecord& other = expected.leases[i];
      RC_ASSERT(one.id == other.id);
      RC_ASSERT(one.service == other.service);
      RC_ASSERT(one.held == other.held);
      RC_ASSERT(one.version == other.version);
      RC_ASSERT(one.is_renewed == other.is_renewed);
      RC_ASSERT(one.created_at == other.created_at);
      RC_ASSERT(one.renewed_at == other.renewed_at);
    }
    if (*rc::gen::inRange(0, 2) == 0) return;
    memory_mark_ = expected.mark;
    world_mark_ = listing.mark;
  }

  MemoryCoordination memory_;
  SimDynamoWorld world_;
  WallTime now_{std::chrono::hours(24 * 365 * 50)};
  std::map<std::string, std::uint64_t> sequences_;
  std::string memory_mark_ = memory_.list().mark;
  std::string world_mark_ = ask(world_.leases().list(world_.deadline())).mark;
  std::uint64_t token_ = 0;
};

TEST(StoreAgreementProperty, LeasesAreTheSame) {
  EXPECT_TRUE(rc::check([] {
    TwoStores stores{RateLimits()};
    const int steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) stores.lease_step();
  }));
}

TEST(StoreAgreementProperty, PlacesOfTheBucketAreTheSame) {
  EXPECT_TRUE(rc::check([] {
    RateLimits limits;
    limits.connects_per_second = *rc::gen::inRange(1, 200);
    limits.burst = *rc::gen::inRange(1, 50);
    TwoStores stores(limits);
    const int steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) stores.take(true);
  }));
}

// The memory's window knows every count; a process in front of DynamoDB learns them by asking.
TEST(StoreAgreementProperty, PlacesOfTheWindowAreTheSame) {
  EXPECT_TRUE(rc::check([] {
    RateLimits limits;
    limits.connects_per_second = *rc::gen::inRange(1, 60);
    limits.mode = RateMode::window;
    TwoStores stores(limits);
    const int steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) stores.take(false);
  }));
}

}  // namespace
}  // namespace forebay::test
