// MemoryLink: a process's way to the store that is a model in memory. The network in between
// delays, loses replies, throttles and fails. A request of a process that dies meanwhile may still
// arrive, as it may in life.
#pragma once

#include "forebay/sim/store/store.hpp"

namespace forebay::sim {

class MemoryLink final : public StoreLink {
 public:
  MemoryLink(SimStore& store, Link& link) : store_(store), link_(link) {}

  void set_cut(bool is_cut) override { is_cut_ = is_cut; }
  void die() override {}  // the link knows

  Task<Result<AcquireReply>> acquire(AcquireRequest request, Instant deadline) override;
  Task<Result<ReleaseReply>> release(ReleaseRequest request, Instant deadline) override;
  Task<Result<RenewReply>> renew(RenewRequest request, Instant deadline) override;
  Task<Result<LeaseListing>> list(Instant deadline) override;
  Task<Result<ReapReply>> reap(ReapRequest request, Instant deadline) override;
  Task<Result<RecountReply>> recount(RecountRequest request, Instant deadline) override;
  Task<Result<TakeReply>> take(TakeRequest request, Instant deadline) override;

 private:
  template <class Reply, class Action>
  Task<Result<Reply>> ask(SimStore::Topic topic, Action action, Instant deadline);

  SimStore& store_;
  Link& link_;  // whose process it is, and whether that lives
  bool is_cut_ = false;
};

}  // namespace forebay::sim
