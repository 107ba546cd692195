// LeaseAgent's sharing task: what it does when all want more than there is.
#include <algorithm>

#include <fmt/format.h>

#include "forebay/coordination/leases/lease_agent.hpp"

namespace forebay {
namespace {

constexpr Duration kLongestStep = std::chrono::seconds(1);
// The store is believed to be full for this long, at most.
constexpr Duration kLongestBelief = std::chrono::seconds(5);
// And others are believed to have less than their share.
constexpr Duration kLongestCap = std::chrono::seconds(10);
// A pool that is refused comes back after five seconds at the latest.
constexpr Duration kShortestMemory = std::chrono::seconds(6);

}  // namespace

// One by one, so that the pool is never short of more than one at a time, and all of it within a
// twelfth of a ttl, so that nobody waits for long.
Task<void> LeaseAgent::share() {
  while (!stopping_.is_cancelled()) {
    const bool is_over = options_.on_surplus && book_.in_use() - giving_ > cap();
    if (!is_over) {
      co_await share_news_.wait_until(kNever);
      continue;
    }
    const int over = book_.in_use() - giving_ - cap();
    if (options_.on_surplus()) ++giving_;
    const Duration step = std::min<Duration>(kLongestStep, options_.ttl / 12 / over);
    co_await stopping_.wait_until(env_.scheduler.now() + step);
  }
}

// What a look has shown is soon no longer so: room must not lie idle until the next.
int LeaseAgent::cap() const {
  if (!fair_) return kNoLimit;
  const Duration age = env_.scheduler.now() - reaper_.listed_at();
  return age < std::min(kLongestCap, options_.ttl / 2) ? fair_->cap : kNoLimit;
}

bool LeaseAgent::is_hungry() const {
  if (is_closing_ || wanted_ <= book_.held()) return false;
  return (awaits_room_ && !line_.empty()) || env_.scheduler.now() < hungry_until_;
}

LeaseClaim LeaseAgent::claim() const {
  return {is_hungry() ? wanted_ : book_.held(), options_.min_share};
}

// Every process looks at all leases anyway, to reap them.
void LeaseAgent::look_at(const LeaseListing& listing) {
  fair_ = fair_share(options_.limit, listing, book_.id(), claim());
  reaper_.set_eager(is_hungry());
  if (awaits_room_ && (listing.active < options_.limit || book_.held() >= fair_->share)) {
    awaits_room_ = false;
  }
  share_news_.notify();
  trade_news_.notify();
}

// There is no room. With less than its share this process waits for those with more; else it fails.
void LeaseAgent::wait_for_share() {
  const bool was_hungry = is_hungry();
  const Instant now = env_.scheduler.now();
  wanted_ = book_.held() + static_cast<int>(line_.size());
  hungry_until_ = now + std::max<Duration>(kShortestMemory, options_.ttl * 2 / 3);
  awaits_room_ = fair_ && book_.held() < fair_->share;
  ask_again_at_ = now + std::min(kLongestBelief, options_.ttl / 12);
  if (!was_hungry) {
    term_.hurry(now);
    keep_news_.notify();
  }
  if (!awaits_room_) line_.fail_all(full(active()));
}

// Whether asking would be in vain: others have less than their share, or this process has its own
// and the store said a moment ago that it is full.
bool LeaseAgent::is_surely_full() const {
  if (book_.held() >= cap()) return true;
  if (!fair_ || book_.held() < fair_->share) return false;
  const Instant heard = std::max(active_heard_at_, reaper_.listed_at());
  const Duration belief = std::min(kLongestBelief, options_.ttl / 12);
  return active() >= options_.limit && env_.scheduler.now() - heard < belief;
}

// So that others see the claim of a process that holds nothing.
Task<void> LeaseAgent::announce() {
  const Instant sent = env_.scheduler.now();
  announce_at_ = sent + options_.ttl / 3;
  RenewRequest request(book_.id(), env_.wall_clock.now());
  request.claim = claim();
  request.makes = true;
  request.service = options_.service;
  request.reap_after = reap_after(options_);
  contact_.sent();
  const Instant deadline = std::min(contact_.answer_by(sent), term_.answer_by(sent));
  const Result<RenewReply> reply = co_await store_.renew(std::move(request), deadline);
  if (reply) contact_.answered(env_.scheduler.now());
}

Error LeaseAgent::full(int active) const {
  return Error(Errc::limit_reached,
               fmt::format("the cluster has {} of {} connections leased, {} of them to this "
                           "process; wait until some are closed, or raise the limit",
                           active, options_.limit, book_.held()));
}

}  // namespace forebay
