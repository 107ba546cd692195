#include "forebay/coordination/nodes/node_lease.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/log.hpp"
#include "forebay/base/readable_time.hpp"
#include "forebay/coordination/unique_name.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay {
namespace {

// Claims for one listing. Processes that start together choose by chance among a thousand, so more
// than a few conflicts mean that the listing is old.
constexpr std::size_t kMostClaims = 8;
constexpr Duration kAfterConflicts = std::chrono::milliseconds(100);
constexpr Duration kBetweenRenewals = std::chrono::milliseconds(100);

}  // namespace

NodeLeaseOptions::NodeLeaseOptions(const ClusterOptions& cluster)
    : service(cluster.member.empty() ? cluster.service : cluster.member),
      ttl(cluster.ttl),
      request_timeout(cluster.request_timeout),
      max_ahead(cluster.ids.max_ahead) {}

NodeLease::NodeLease(Env env, NodeStore& store, NodeLeaseOptions options)
    : env_(env),
      store_(store),
      options_(std::move(options)),
      contact_(StoreContact::for_leases(options_.request_timeout, options_.ttl)),
      silence_(options_.ttl, options_.ttl),
      tasks_(env.scheduler),
      news_(env.scheduler),
      changed_(env.scheduler),
      term_(options_.ttl, options_.backoff) {}

void NodeLease::start() {
  FOREBAY_CHECK(!is_started_, "a node lease is started once");
  is_started_ = true;
  tasks_.spawn(run());
}

Task<Result<int>> NodeLease::wait_for_node(Instant deadline) {
  FOREBAY_CHECK(is_started_, "a node lease was asked before start()");
  for (;;) {
    const Result<NodeTerm> found = term();
    if (!found && found.error().code() == Errc::closed) co_return failure(found.error());
    const std::int64_t early = found ? milliseconds_early(found->first) : 0;
    if (found && early == 0) co_return found->node;
    const Instant now = env_.scheduler.now();
    if (now >= deadline) {
      co_return failure(
          Errc::timed_out,
          found ? fmt::format("node number {} was another process's before, and ids "
                              "can be made with it in {}",
                              found->node, readable_time(std::chrono::milliseconds(early)))
                : found.error().text());
    }
    // Not only when they have passed: the clock may be set meanwhile.
    const std::chrono::milliseconds pause(std::min<std::int64_t>(early, 1000));
    const Instant next = found ? std::min(deadline, deadline_after(now, pause)) : deadline;
    co_await changed_.wait_until(next);
  }
}

// Until ids may bear that time, by the wall clock.
std::int64_t NodeLease::milliseconds_early(std::int64_t time) const {
  const auto ahead = std::chrono::floor<std::chrono::milliseconds>(options_.max_ahead).count();
  const std::int64_t latest = wall_milliseconds() + std::max<std::int64_t>(0, ahead);
  return time <= latest ? 0 : time - latest;
}

Result<NodeTerm> NodeLease::term() const {
  const Instant now = env_.scheduler.now();
  std::optional<Seen> seen;
  {
    const MutexLock lock(mutex_);
    if (seen_.term && now < seen_.end) return *seen_.term;
    seen = seen_;
  }
  if (seen->is_closed) return failure(Errc::closed, "the node lease is closed: no ids are made");
  if (!seen->term) {
    return failure(Errc::connect_failed,
                   fmt::format("this process has no node number for ids: {}", seen->trouble));
  }
  return failure(
      Errc::connect_failed,
      fmt::format("node number {} could not be renewed in time, and another process may have it: "
                  "no ids are made until the store answers ({})",
                  seen->term->node, seen->trouble));
}

// One notification for each renewal, however many callers ask.
void NodeLease::want_later() {
  if (!is_wanted_.exchange(true)) news_.notify();
}

Task<bool> NodeLease::close(Instant deadline) {
  FOREBAY_CHECK(is_started_ && !is_stopped_, "a node lease is closed once");
  is_stopped_ = true;
  contact_.end_by(deadline);
  withdraw();
  changed_.notify_all();
  news_.notify();
  co_await tasks_.join();
  const bool is_released = co_await give_back(deadline);
  co_return is_released;
}

Task<void> NodeLease::run() {
  while (!is_stopped_) {
    if (env_.scheduler.now() < next()) {
      co_await news_.wait_until(next());
    } else if (held_) {
      co_await renew();
    } else {
      co_await find();
    }
  }
}

// When there is something to do again. However often callers ask for later times, renewals keep
// their distance.
Instant NodeLease::next() const {
  if (!held_) return find_at_;
  if (!is_wanted_ || term_.failures() > 0) return term_.renew_at();
  return std::min(term_.renew_at(), term_.heard_at() + kBetweenRenewals);
}

Task<void> NodeLease::find() {
  contact_.sent();
  const Instant deadline = contact_.answer_by(env_.scheduler.now());
  const Result<std::vector<NodeRecord>> records = co_await store_.list(deadline);
  if (!records) {
    note_failure(records.error(), "node numbers cannot be listed");
    find_at_ = deadline_after(env_.scheduler.now(),
                              backoff_delay(options_.backoff, contact_.failures(), env_.random));
    co_return;
  }
  contact_.answered(env_.scheduler.now());
  const std::vector<NodeRecord> chosen = choose(*records);
  for (const NodeRecord& record : chosen) {
    if (is_stopped_) co_return;
    const bool is_over = co_await claim(record);
    if (is_over) co_return;
  }
  const Instant now = env_.scheduler.now();
  if (!chosen.empty()) {
    find_at_ = now + kAfterConflicts - env_.random.between(Duration(0), kAfterConflicts / 4);
    co_return;
  }
  const Instant soon = now + options_.ttl / 4 - env_.random.between(Duration(0), options_.ttl / 16);
  find_at_ = std::min(soon, std::max(silence_.next(now), now + std::chrono::milliseconds(1)));
  const Duration silence = with_clock_margin(options_.ttl);
  log_trouble(fmt::format("all {} are taken; one whose process is silent for {} is taken over",
                          kNodeNumbers, readable_time(silence)));
}

// Numbers to claim, in this order: such as nobody ever had, by chance, so that processes that start
// together choose differently; or else those that are free or whose holder is silent, the one with
// the earliest times first.
std::vector<NodeRecord> NodeLease::choose(const std::vector<NodeRecord>& records) {
  silence_.begin(contact_.since());
  std::map<int, NodeRecord> known;
  std::vector<LeaseRecord> watched;
  for (const NodeRecord& record : records) {
    known.emplace(record.number, record);
    if (record.holder.empty()) continue;
    LeaseRecord& lease = watched.emplace_back(std::to_string(record.number), record.holder);
    lease.version = record.version;
    lease.reap_after = record.ttl;
  }
  const std::vector<SilenceWatch::Dead> dead =
      silence_.look(watched, std::string(), env_.scheduler.now());

  std::vector<NodeRecord> chosen;
  for (int number = 0; number < kNodeNumbers; ++number) {
    if (!known.contains(number)) chosen.emplace_back(number);
  }
  if (!chosen.empty()) {
    const std::size_t count = std::min(kMostClaims, chosen.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t other = i + env_.random.below(chosen.size() - i);
      std::swap(chosen[i], chosen[other]);
    }
    chosen.resize(count, NodeRecord(0));
    return chosen;
  }
  for (const NodeRecord& record : records) {
    const bool is_dead = std::ranges::any_of(dead, [&](const SilenceWatch::Dead& lease) {
      return lease.id == std::to_string(record.number);
    });
    if (record.holder.empty() || is_dead) chosen.push_back(record);
  }
  std::ranges::sort(chosen, [](const NodeRecord& a, const NodeRecord& b) {
    return std::pair(a.ids_until, a.number) < std::pair(b.ids_until, b.number);
  });
  if (chosen.size() > kMostClaims) chosen.resize(kMostClaims, NodeRecord(0));
  return chosen;
}

// True: there is a number now, or it must be found out whether there is.
Task<bool> NodeLease::claim(NodeRecord record) {
  const Instant sent = env_.scheduler.now();
  const std::int64_t now = wall_milliseconds();
  const std::int64_t ttl = std::chrono::ceil<std::chrono::milliseconds>(options_.ttl).count();
  Held held;
  held.term.node = record.number;
  held.term.first = record.version == 0 ? NodeTerm().first : record.ids_until + 1;
  held.term.last = std::max(now, record.ids_until) + ttl;
  held.asked = held.term.last;
  held.name = unique_name(options_.service, env_.random);
  NodeClaim request(record.number, held.name);
  request.seen = record.version;
  request.ids_until = held.asked;
  request.ttl = options_.ttl;
  request.service = options_.service;
  request.now = env_.wall_clock.now();

  contact_.sent();
  const Instant deadline = contact_.answer_by(sent);
  const Result<NodeReply> reply = co_await store_.claim(std::move(request), deadline);
  if (!reply) {
    // Nobody knows whether it is ours; a renewal will tell.
    held_ = std::move(held);
    term_.begin(sent, env_.random);
    term_.failed(env_.scheduler.now(), env_.random);
    note_failure(reply.error(), "a node number could not be claimed");
    co_return true;
  }
  contact_.answered(env_.scheduler.now());
  if (!reply->is_held) co_return false;
  held.is_certain = true;
  held_ = std::move(held);
  is_wanted_ = false;
  term_.begin(sent, env_.random);
  publish();
  log::info("Node number claimed",
            {log::field("service", options_.service), log::field("node", record.number)});
  co_return true;
}

Task<void> NodeLease::renew() {
  const Instant sent = env_.scheduler.now();
  is_wanted_ = false;
  const std::int64_t ttl = std::chrono::ceil<std::chrono::milliseconds>(options_.ttl).count();
  held_->asked = std::max(held_->asked, wall_milliseconds() + ttl);
  const std::int64_t asked = held_->asked;
  NodeRenewal request(held_->term.node, held_->name, asked, env_.wall_clock.now());
  contact_.sent();
  const Instant deadline = std::min(contact_.answer_by(sent), term_.answer_by(sent));
  const Result<NodeReply> reply = co_await store_.renew(std::move(request), deadline);
  if (!reply) {
    term_.failed(env_.scheduler.now(), env_.random);
    note_failure(reply.error(), "the node number could not be renewed");
    co_return;
  }
  contact_.answered(env_.scheduler.now());
  if (!reply->is_held) {
    lose();
    co_return;
  }
  held_->is_certain = true;
  held_->term.last = asked;
  term_.renewed(sent, env_.random);
  publish();
}

// False: the deadline passed, and it is not known whether the number was given back.
Task<bool> NodeLease::give_back(Instant deadline) {
  int tries = 0;
  while (held_) {
    NodeRelease request(held_->term.node, held_->name, env_.wall_clock.now());
    contact_.sent();
    const Instant limit =
        std::min(deadline, deadline_after(env_.scheduler.now(), options_.request_timeout));
    const Result<NodeReply> reply = co_await store_.release(std::move(request), limit);
    if (reply) {
      held_.reset();
      break;
    }
    const Instant next =
        deadline_after(env_.scheduler.now(), backoff_delay(options_.backoff, ++tries, env_.random));
    if (next >= deadline) co_return false;
    co_await changed_.wait_until(next);
  }
  co_return true;
}

void NodeLease::lose() {
  if (held_->is_certain) {
    ++losses_;
    log::warning("Node number lost",
                 {log::field("service", options_.service), log::field("node", held_->term.node)});
    log_trouble("the last one was taken over by another process");
  }
  held_.reset();
  term_.end();
  find_at_ = env_.scheduler.now();
  publish();
}

void NodeLease::publish() {
  {
    const MutexLock lock(mutex_);
    if (seen_.is_closed) return;
    seen_.term.reset();
    if (held_ && held_->is_certain) {
      seen_.term = held_->term;
      seen_.end = term_.ends_at();
    }
  }
  changed_.notify_all();
}

void NodeLease::note_failure(const Error& error, const char* what) {
  contact_.failed(error.code());
  if (contact_.failures() == 1 && !is_stopped_) {
    log::warning("Node number request failed",
                 {log::field("service", options_.service), log::field("reason", what),
                  log::field("error", error.text())});
  }
  log_trouble(fmt::format("{}: {}", what, error.text()));
}

// Why there is no number.
void NodeLease::log_trouble(std::string trouble) {
  const MutexLock lock(mutex_);
  seen_.trouble.swap(trouble);
}

void NodeLease::withdraw() {
  const MutexLock lock(mutex_);
  seen_.term.reset();
  seen_.is_closed = true;
}

std::int64_t NodeLease::wall_milliseconds() const {
  return std::chrono::floor<std::chrono::milliseconds>(env_.wall_clock.now().time_since_epoch())
      .count();
}

}  // namespace forebay
