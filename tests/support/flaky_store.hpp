// One process's way to a shared coordination store in virtual time: slow, lossy and cut off as
// told.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/coordination/memory_store.hpp"
#include "forebay/coordination/nodes/memory_nodes.hpp"
#include "forebay/detail/env/detached.hpp"
#include "forebay/env/random.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::test {

// What becomes of one request.
enum class Fate : std::uint8_t {
  answered,
  lost_request,  // not done, and nobody hears of it
  lost_reply,    // done, and nobody hears of it
  late,          // done after its caller has given up
  throttled,     // refused for now
  away,          // the store cannot be reached
};

// The way itself: when a request arrives, and whether anybody hears of it.
class FlakyWay {
 public:
  FlakyWay(Scheduler& scheduler, std::uint64_t seed) : scheduler_(scheduler), random_(seed) {}

  Duration shortest{};  // there and back
  Duration longest{};
  // Asked for each request with its kind and its number, from 1. None: all are answered.
  std::function<Fate(const std::string& step, int number)> fate;
  int requests = 0;

 protected:
  template <class Reply, class Apply>
  Task<Result<Reply>> perform(std::string step, Apply apply, Instant deadline) {
    const Fate what = fate ? fate(step, ++requests) : Fate::answered;
    const Duration way = random_.between(shortest, longest) / 2;
    const Instant arrival = scheduler_.now() + way;
    if (what == Fate::late) start_detached(scheduler_, land(apply, deadline + way));
    const bool is_heard = what == Fate::answered || what == Fate::throttled || what == Fate::away;
    if (!is_heard && what != Fate::lost_reply) co_await sleep_until(scheduler_, deadline);
    if (!is_heard && what != Fate::lost_reply) co_return no_answer(step);

    if (way > Duration::zero()) co_await sleep_until(scheduler_, arrival);
    if (what == Fate::throttled) co_return failure(Errc::limit_reached, "too many requests");
    if (what == Fate::away) co_return failure(Errc::connect_failed, "the store is away");
    Reply reply = apply();
    const bool is_in_time = is_heard && arrival + way <= deadline;
    const Instant end = is_in_time ? arrival + way : deadline;
    if (end > scheduler_.now()) co_await sleep_until(scheduler_, end);
    if (!is_in_time) co_return no_answer(step);
    co_return reply;
  }

 private:
  template <class Apply>
  Task<void> land(Apply apply, Instant when) {
    co_await sleep_until(scheduler_, when);
    apply();
  }

  static std::unexpected<Error> no_answer(const std::string& step) {
    return failure(Errc::timed_out, "no answer to " + step);
  }

  Scheduler& scheduler_;
  SeededRandom random_;
};

class FlakyStore final : public FlakyWay, public LeaseStore, public RateStore {
 public:
  FlakyStore(Scheduler& scheduler, MemoryCoordination& model, std::uint64_t seed)
      : FlakyWay(scheduler, seed), model_(model) {}

  Task<Result<AcquireReply>> acquire(AcquireRequest request, Instant deadline) override {
    const auto apply = [this, request] { return model_.acquire(request); };
    return perform<AcquireReply>("acquire", apply, deadline);
  }
  Task<Result<ReleaseReply>> release(ReleaseRequest request, Instant deadline) override {
    const auto apply = [this, request] { return model_.release(request); };
    return perform<ReleaseReply>("release", apply, deadline);
  }
  Task<Result<RenewReply>> renew(RenewRequest request, Instant deadline) override {
    const auto apply = [this, request] { return model_.renew(request); };
    return perform<RenewReply>("renew", apply, deadline);
  }
  Task<Result<LeaseListing>> list(Instant deadline) override {
    const auto apply = [this] { return model_.list(); };
    return perform<LeaseListing>("list", apply, deadline);
  }
  Task<Result<RecountReply>> recount(RecountRequest request, Instant deadline) override {
    const auto apply = [this, request] { return model_.recount(request); };
    return perform<RecountReply>("recount", apply, deadline);
  }
  Task<Result<ReapReply>> reap(ReapRequest request, Instant deadline) override {
    const auto apply = [this, request] { return model_.reap(request); };
    return perform<ReapReply>("reap", apply, deadline);
  }
  Task<Result<TakeReply>> take(TakeRequest request, Instant deadline) override {
    const auto apply = [this, request] { return model_.take(request); };
    return perform<TakeReply>("take", apply, deadline);
  }

 private:
  MemoryCoordination& model_;
};

// What is late may arrive when the process that sent it is gone.
class FlakyNodes final : public FlakyWay, public NodeStore {
 public:
  FlakyNodes(Scheduler& scheduler, MemoryNodes& model, std::uint64_t seed)
      : FlakyWay(scheduler, seed), model_(model) {}

  Task<Result<std::vector<NodeRecord>>> list(Instant deadline) override {
    const auto apply = [&model = model_] { return model.list(); };
    return perform<std::vector<NodeRecord>>("list", apply, deadline);
  }
  Task<Result<NodeReply>> claim(NodeClaim claim, Instant deadline) override {
    const auto apply = [&model = model_, claim] { return model.claim(claim); };
    return perform<NodeReply>("claim", apply, deadline);
  }
  Task<Result<NodeReply>> renew(NodeRenewal renewal, Instant deadline) override {
    const auto apply = [&model = model_, renewal] { return model.renew(renewal); };
    return perform<NodeReply>("renew", apply, deadline);
  }
  Task<Result<NodeReply>> release(NodeRelease release, Instant deadline) override {
    const auto apply = [&model = model_, release] { return model.release(release); };
    return perform<NodeReply>("release", apply, deadline);
  }

 private:
  MemoryNodes& model_;
};

}  // namespace forebay::test
