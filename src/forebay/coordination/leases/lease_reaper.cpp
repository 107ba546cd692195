#include "forebay/coordination/leases/lease_reaper.hpp"

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
      is_counter_kept_(options.is_counter_kept),
      on_listing_(std::move(options.on_listing)),
      stopping_(env.scheduler),
      silence_(options.reap_after, options.longest_session),
      counter_(longest_session_) {}

Task<void> LeaseReaper::run(const std::string& own) {
  Instant next = env_.scheduler.now() + env_.random.between(Duration::zero(), every_);
  while (!stopping_.is_cancelled()) {
    const bool is_stopping = co_await stopping_.wait_until(next);
    if (is_stopping) break;
    const Result<LeaseLook> seen = co_await look(own);
    if (!seen) {
      log_failure(seen.error());
    } else if (seen->trouble) {
      log_failure(*seen->trouble);
    } else {
      told_.clear();
    }
    next = seen ? next_look() : env_.scheduler.now() + request_timeout_;
  }
}

void LeaseReaper::stop() { stopping_.cancel(); }

// Its own failures do not make the store seem away: a look takes longer than the requests on which
// callers wait.
Task<Result<LeaseLook>> LeaseReaper::look(const std::string& own) {
  const Instant deadline = env_.scheduler.now() + request_timeout_;
  contact_.sent();
  const Result<LeaseListing> listing = co_await store_.list(deadline);
  if (!listing) co_return failure(listing.error());
  contact_.answered(env_.scheduler.now());
  LeaseLook look;
  const std::vector<SilenceWatch::Dead> dead = compare(*listing, own);
  // First, because a reaped lease changes the counter.
  const std::optional<int> target = counter_.look(*listing, env_.scheduler.now());
  if (target && is_counter_kept_ && !stopping_.is_cancelled()) {
    const Result<void> done = co_await recount(listing->active, *target, listing->mark);
    if (!done) look.trouble = done.error();
  }
  for (const SilenceWatch::Dead& lease : dead) {
    if (stopping_.is_cancelled()) break;
    const Result<void> done = co_await reap(lease, look);
    if (!done) look.trouble = done.error();
  }
  look.unheard = silence_.unheard();
  look.next = silence_.next(env_.scheduler.now());
  co_return look;
}

// Which leases have been silent for too long.
std::vector<SilenceWatch::Dead> LeaseReaper::compare(const LeaseListing& listing,
                                                     const std::string& own) {
  if (silence_.begin(contact_.since())) counter_.forget();
  listed_active_ = listing.active;
  listed_at_ = env_.scheduler.now();
  known_processes_ = std::max(1, static_cast<int>(listing.leases.size()));
  if (on_listing_) on_listing_(listing);
  return silence_.look(listing.leases, own, env_.scheduler.now());
}

// Once for each reason: a process that may not read or delete must say so, and not every minute.
void LeaseReaper::log_failure(const Error& error) {
  if (stopping_.is_cancelled() || error.text() == told_) return;
  told_ = error.text();
  log::warning("Dead leases cannot be looked for", {log::field("error", told_)});
}

// Without an answer, the next look shows whether it was done.
Task<Result<void>> LeaseReaper::recount(int active, int target, std::string mark) {
  const Instant deadline = contact_.answer_by(env_.scheduler.now());
  RecountRequest request(std::move(mark), target, env_.wall_clock.now());
  contact_.sent();
  const Result<RecountReply> reply = co_await store_.recount(std::move(request), deadline);
  if (!reply) co_return failure(reply.error());
  contact_.answered(env_.scheduler.now());
  if (!reply->is_done) co_return Result<void>();
  counter_.forget();
  const bool is_reset = target > active;
  const std::optional<Duration> watched = is_reset ? std::nullopt : std::optional(longest_session_);
  log::warning("Lease counter put right",
               {log::field("reason", is_reset ? "reset" : "drift"), log::field("said", active),
                log::field("leased", target), log::field("watched", watched)});
  co_return Result<void>();
}

// The same. The store refuses if the holder has been heard of since.
Task<Result<void>> LeaseReaper::reap(SilenceWatch::Dead dead, LeaseLook& look) {
  const Instant deadline = contact_.answer_by(env_.scheduler.now());
  ReapRequest request(dead.id, dead.version, env_.wall_clock.now());
  contact_.sent();
  const Result<ReapReply> reply = co_await store_.reap(std::move(request), deadline);
  if (!reply) co_return failure(reply.error());
  contact_.answered(env_.scheduler.now());
  silence_.drop(dead.id);
  if (!reply->is_reaped) co_return Result<void>();
  ++look.reaped;
  look.connections += reply->connections;
  reaped_ += static_cast<std::uint64_t>(reply->connections);
  log::info("Lease of a dead process reaped",
            {log::field("lease", dead.id), log::field("silent_for", dead.watched),
             log::field("connections", reply->connections)});
  co_return Result<void>();
}

// Regularly, and as soon as the first lease could turn out to be dead; the spread keeps processes
// from all coming at once.
Instant LeaseReaper::next_look() {
  const Instant now = env_.scheduler.now();
  const Duration every = is_eager_ ? every_ / 2 : every_;
  Instant next = now + every - env_.random.between(Duration::zero(), every / 4);
  next = std::min(next, silence_.next(now));
  return next + env_.random.between(Duration::zero(), every / 4);
}

}  // namespace forebay
