#include "forebay/coordination/lease_reaper.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/log.hpp"

namespace forebay {
namespace {

// An older client's lease stands for three minutes at least. Looks that are no further apart than
// this see every one that DynamoDB deletes.
constexpr Duration kLongestPause = std::chrono::minutes(1);

}  // namespace

LeaseReaper::LeaseReaper(Env env, LeaseStore& store, StoreContact& contact, ReaperOptions options)
    : env_(env),
      store_(store),
      contact_(contact),
      longest_session_(with_clock_margin(std::max(options.reap_after, options.longest_session))),
      every_(std::min(options.ttl / 4, kLongestPause)),
      request_timeout_(options.request_timeout),
      stopping_(env.scheduler),
      silence_(options.reap_after, options.longest_session),
      counter_(longest_session_) {}

Task<void> LeaseReaper::run(const std::string& own) {
  Instant next = env_.scheduler.now() + env_.random.between(Duration::zero(), every_);
  while (!is_stopped_) {
    const bool is_stopping = co_await stopping_.wait_until(next);
    if (is_stopping) break;
    const bool is_answered = co_await look(own);
    next = is_answered ? next_look() : env_.scheduler.now() + request_timeout_;
  }
}

void LeaseReaper::stop() {
  is_stopped_ = true;
  stopping_.notify_all();
}

// False: no answer. Its own failures do not make the store seem away: a look takes longer than the
// requests on which callers wait.
Task<bool> LeaseReaper::look(const std::string& own) {
  const Instant deadline = env_.scheduler.now() + request_timeout_;
  contact_.sent();
  const Result<LeaseListing> listing = co_await store_.list(deadline);
  if (!listing) {
    tell(listing.error());
    co_return false;
  }
  told_.clear();
  contact_.answered(env_.scheduler.now());
  const std::vector<SilenceWatch::Dead> dead = compare(*listing, own);
  // First, because a reaped lease changes the counter.
  const std::optional<int> target = counter_.look(*listing, env_.scheduler.now());
  if (target && !is_stopped_) co_await recount(listing->active, *target, listing->mark);
  for (const SilenceWatch::Dead& lease : dead) {
    if (is_stopped_) break;
    co_await reap(lease);
  }
  co_return true;
}

// Which leases have been silent for too long.
std::vector<SilenceWatch::Dead> LeaseReaper::compare(const LeaseListing& listing,
                                                     const std::string& own) {
  if (contact_.since() != watched_since_) {
    silence_.forget();
    counter_.forget();
  }
  watched_since_ = contact_.since();
  listed_active_ = listing.active;
  listed_at_ = env_.scheduler.now();
  known_processes_ = std::max(1, static_cast<int>(listing.leases.size()));
  return silence_.look(listing.leases, own, env_.scheduler.now());
}

// Once for each reason: whoever may not read or delete must hear of it, and not every minute.
void LeaseReaper::tell(const Error& error) {
  if (is_stopped_ || error.text() == told_) return;
  told_ = error.text();
  log::warning("Dead leases cannot be looked for", {log::field("error", told_)});
}

Task<void> LeaseReaper::recount(int active, int target, std::string mark) {
  const Instant deadline = env_.scheduler.now() + contact_.patience(request_timeout_);
  RecountRequest request(std::move(mark), target, env_.wall_clock.now());
  contact_.sent();
  const Result<RecountReply> reply = co_await store_.recount(std::move(request), deadline);
  if (!reply) {
    tell(reply.error());
    co_return;  // the next look shows whether it was done
  }
  contact_.answered(env_.scheduler.now());
  if (!reply->is_done) co_return;
  counter_.forget();
  const bool is_reset = target > active;
  const std::optional<Duration> watched = is_reset ? std::nullopt : std::optional(longest_session_);
  log::warning("Lease counter put right",
               {log::field("reason", is_reset ? "reset" : "drift"), log::field("said", active),
                log::field("leased", target), log::field("watched", watched)});
}

Task<void> LeaseReaper::reap(SilenceWatch::Dead dead) {
  const Instant deadline = env_.scheduler.now() + contact_.patience(request_timeout_);
  ReapRequest request(dead.id, dead.version, env_.wall_clock.now());
  contact_.sent();
  const Result<ReapReply> reply = co_await store_.reap(std::move(request), deadline);
  if (!reply) {
    tell(reply.error());
    co_return;  // the next look shows whether it was done
  }
  contact_.answered(env_.scheduler.now());
  if (!reply->is_reaped) co_return;
  reaped_ += static_cast<std::uint64_t>(reply->connections);
  log::info("Lease of a dead process reaped",
            {log::field("lease", dead.id), log::field("silent_for", dead.watched),
             log::field("connections", reply->connections)});
}

// Regularly, and as soon as the first lease could turn out to be dead; the spread keeps processes
// from all coming at once.
Instant LeaseReaper::next_look() {
  const Instant now = env_.scheduler.now();
  Instant next = now + every_ - env_.random.between(Duration::zero(), every_ / 4);
  next = std::min(next, silence_.next(now));
  return next + env_.random.between(Duration::zero(), every_ / 4);
}

}  // namespace forebay
