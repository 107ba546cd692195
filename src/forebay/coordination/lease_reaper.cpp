#include "forebay/coordination/lease_reaper.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "forebay/base/log.hpp"

namespace forebay {

// Monotonic clocks differ by parts in ten thousand at most; a hundredth of the ttl is ample.
LeaseReaper::LeaseReaper(Env env, LeaseStore& store, StoreContact& contact, Duration ttl,
                         Duration request_timeout)
    : env_(env),
      store_(store),
      contact_(contact),
      patience_(ttl + ttl / 100),
      every_(ttl / 4),
      request_timeout_(request_timeout),
      stopping_(env.scheduler) {}

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

// False: no answer.
Task<bool> LeaseReaper::look(const std::string& own) {
  const Instant deadline = env_.scheduler.now() + contact_.patience(request_timeout_);
  contact_.sent();
  const Result<std::vector<LeaseRecord>> records = co_await store_.list(deadline);
  if (!records) {
    contact_.failed();
    co_return false;
  }
  contact_.answered(env_.scheduler.now());
  const std::vector<ReapRequest> dead = compare(*records, own);
  for (const ReapRequest& request : dead) {
    if (is_stopped_) break;
    co_await reap(request);
  }
  co_return true;
}

// Which leases have been silent for too long.
std::vector<ReapRequest> LeaseReaper::compare(const std::vector<LeaseRecord>& records,
                                              const std::string& own) {
  const Instant now = env_.scheduler.now();
  if (contact_.since() != watched_since_) watches_.clear();
  watched_since_ = contact_.since();
  known_processes_ = std::max(1, static_cast<int>(records.size()));

  std::vector<ReapRequest> dead;
  std::map<std::string, Watch> watches;
  for (const LeaseRecord& record : records) {
    if (record.id == own) continue;
    const auto known = watches_.find(record.id);
    const bool is_silent = known != watches_.end() && known->second.version == record.version;
    const Instant since = is_silent ? known->second.since : now;
    watches[record.id] = Watch{record.version, since};
    if (now - since >= patience_)
      dead.emplace_back(record.id, record.version, env_.wall_clock.now());
  }
  watches_ = std::move(watches);
  return dead;
}

Task<void> LeaseReaper::reap(ReapRequest request) {
  const Instant deadline = env_.scheduler.now() + contact_.patience(request_timeout_);
  contact_.sent();
  const Result<ReapReply> reply = co_await store_.reap(request, deadline);
  if (!reply) {
    contact_.failed();
    co_return;  // the next look shows whether it was done
  }
  contact_.answered(env_.scheduler.now());
  if (!reply->is_reaped) co_return;
  reaped_ += static_cast<std::uint64_t>(reply->connections);
  log::info(fmt::format(
      "lease {} was not renewed for {} s: its process is gone, and its {} connections are free",
      request.lease_id, std::chrono::duration_cast<std::chrono::seconds>(patience_).count(),
      reply->connections));
}

// Regularly, and as soon as the first lease could turn out to be dead; the spread keeps processes
// from all coming at once.
Instant LeaseReaper::next_look() {
  const Instant now = env_.scheduler.now();
  Instant next = now + every_ - env_.random.between(Duration::zero(), every_ / 4);
  for (const auto& [id, watch] : watches_) {
    if (const Instant due = watch.since + patience_; due > now) next = std::min(next, due);
  }
  return next + env_.random.between(Duration::zero(), every_ / 4);
}

}  // namespace forebay
