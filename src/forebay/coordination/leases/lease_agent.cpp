#include "forebay/coordination/leases/lease_agent.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/base/readable_time.hpp"
#include "forebay/coordination/unique_name.hpp"

namespace forebay {

LeaseOptions::LeaseOptions(const ClusterOptions& cluster)
    : lease_id(cluster.member.empty() ? cluster.service : cluster.member),
      service(cluster.service),
      limit(cluster.limit),
      min_share(cluster.min_share),
      ttl(cluster.ttl),
      session_linger(forebay::session_linger(cluster)),
      request_timeout(cluster.request_timeout),
      on_absence(cluster.on_absence),
      on_loss(cluster.on_loss),
      fence_before(forebay::fence_before(cluster)) {}

LeaseAgent::LeaseAgent(Env env, LeaseStore& store, LeaseOptions options)
    : env_(env),
      store_(store),
      options_(std::move(options)),
      book_(unique_name(options_.lease_id, env.random)),
      term_(options_.ttl, options_.backoff),
      contact_(StoreContact::for_leases(options_.request_timeout, options_.ttl)),
      reaper_(
          env, store, contact_,
          {options_.ttl, reap_after(options_), options_.longest_session, options_.request_timeout,
           true, [this](const LeaseListing& listing) { look_at(listing); }}),
      line_(env.scheduler),
      tasks_(env.scheduler),
      trade_news_(env.scheduler),
      keep_news_(env.scheduler),
      share_news_(env.scheduler),
      changed_(env.scheduler),
      stopping_(env.scheduler) {
  FOREBAY_CHECK(options_.limit >= 0 && options_.most_at_once >= 1);
  FOREBAY_CHECK(options_.session_linger >= Duration::zero());
  FOREBAY_CHECK(options_.fence_before < options_.ttl * 2 / 3);
}

LeaseAgent::~LeaseAgent() {
  FOREBAY_CHECK(book_.in_use() == 0, "a lease agent died before its leases");
}

void LeaseAgent::start() {
  FOREBAY_CHECK(!is_started_);
  is_started_ = true;
  tasks_.spawn(trade());
  tasks_.spawn(keep());
  tasks_.spawn(share());
  tasks_.spawn(reaper_.run(book_.id()));
}

Task<Result<Lease>> LeaseAgent::acquire(Instant deadline) {
  FOREBAY_CHECK(is_started_, "a lease agent was asked before start()");
  if (is_closing_) co_return failure(Errc::closed, "the lease agent is closed");
  if (line_.empty() && may_hand_out()) co_return hand_out();
  trade_news_.notify();
  const Instant asked = env_.scheduler.now();
  std::optional<Result<Lease>> result = co_await line_.wait(deadline);
  if (result) co_return std::move(*result);
  if (awaits_room_) co_return failure(full(active()));
  const Duration waited = env_.scheduler.now() - asked;
  co_return failure(
      Errc::timed_out,
      fmt::format("the lease store gave no lease within {} ({} requests in a row failed); this "
                  "process holds {} and uses {}",
                  readable_time(waited), contact_.failures(), book_.held(), book_.in_use()));
}

void LeaseAgent::give_back() noexcept {
  book_.take_back();
  if (giving_ > 0) --giving_;
  recover();
  serve();
  trade_news_.notify();
}

bool LeaseAgent::may_hand_out() const {
  if (is_closing_ || state_ != State::sound || excess_ > 0) return false;
  if (book_.in_use() >= cap()) return false;
  if (book_.stock() > 0 && has_certain_lease()) return true;
  return options_.on_absence == StoreAbsence::local && contact_.is_away() &&
         book_.in_use() < local_share();
}

bool LeaseAgent::has_certain_lease() const {
  return book_.has_lease() && env_.scheduler.now() < term_.ends_at();
}

int LeaseAgent::local_share() const {
  const int processes = reaper_.known_processes();
  return processes == 0 ? book_.held() : std::max(book_.held(), options_.limit / processes);
}

Lease LeaseAgent::hand_out() {
  book_.hand_out();
  return Lease(*this, book_.losses());
}

// The clock speaks first: a process that was stopped and goes on learns of its loss only from the
// store's next answer. What was handed out before a loss is leased anew if it is open; what is not
// open yet goes back and asks again.
bool LeaseAgent::stands(std::uint64_t term) const {
  if (state_ != State::sound || term != book_.losses()) return false;
  return has_certain_lease() || (options_.on_absence == StoreAbsence::local && contact_.is_away());
}

void LeaseAgent::serve() {
  while (!line_.empty() && may_hand_out()) line_.serve(hand_out());
}

// One change at a time. One without an answer is sent again until there is an answer, because
// nobody can know what the store holds before that.
Task<void> LeaseAgent::trade() {
  int failures = 0;
  while (!stopping_.is_cancelled()) {
    serve();
    if (!book_.change()) plan_change();
    if (!book_.change()) {
      if (is_closing_ && is_released()) break;
      // What is surplus is not given back before it is known whether there is a lease.
      const Instant wake =
          awaits_room_ && !line_.empty() ? std::min(surplus_at_, ask_again_at_) : surplus_at_;
      co_await trade_news_.wait_until(state_ == State::suspended ? kNever : wake);
      continue;
    }
    const bool is_answered = co_await send_change();
    failures = is_answered ? 0 : failures + 1;
    if (is_answered) continue;
    const Duration pause = backoff_delay(options_.backoff, failures, env_.random);
    co_await stopping_.wait_until(deadline_after(env_.scheduler.now(), pause));
  }
  changed_.notify_all();
}

void LeaseAgent::plan_change() {
  if (state_ == State::suspended && !is_closing_) {
    surplus_at_ = kNever;  // first it must be known whether there is a lease
    return;
  }
  const Instant now = env_.scheduler.now();
  if (book_.overhang() > 0) {
    // These exist; the counter has to say so, even if that takes it above the limit.
    book_.begin_acquire(book_.overhang(), kNoLimit, now);
    return;
  }
  if (excess_ > 0 && book_.stock() > 0) {
    book_.begin_release(book_.stock(), now);
    return;
  }
  if (book_.stock() > 0 && book_.held() > cap()) {
    book_.begin_release(std::min(book_.stock(), book_.held() - cap()), now);
    return;
  }
  const int missing = static_cast<int>(line_.size()) - book_.stock();
  const bool is_waiting = awaits_room_ && now < ask_again_at_;
  if (missing > 0 && (is_waiting || is_surely_full())) {
    surplus_at_ = kNever;
    if (!is_waiting) wait_for_share();
    return;
  }
  if (missing > 0) {
    int count = std::min({missing, options_.most_at_once, cap() - book_.held()});
    if (room_ > 0) count = std::min(count, room_);
    room_ = 0;
    book_.begin_acquire(count, options_.limit, now);
    return;
  }
  plan_release();
}

// What a connection leaves behind is kept for a moment: mostly its replacement needs it.
void LeaseAgent::plan_release() {
  const Instant now = env_.scheduler.now();
  // Those who still wait do so because the lease is in doubt, and will need the stock.
  if (book_.stock() == 0 || !line_.empty()) {
    surplus_at_ = kNever;
    return;
  }
  if (is_closing_) {
    book_.begin_release(book_.stock(), now);
    return;
  }
  if (surplus_at_ == kNever) {
    book_.watch_stock();
    surplus_at_ = now + options_.release_after;
  }
  if (now < surplus_at_) return;
  const int surplus = book_.surplus();
  surplus_at_ = kNever;
  if (surplus > 0) {
    book_.begin_release(surplus, now);
    return;
  }
  book_.watch_stock();
  surplus_at_ = now + options_.release_after;
}

// False: no answer.
Task<bool> LeaseAgent::send_change() {
  const std::string id = book_.id();
  const Instant deadline = contact_.answer_by(env_.scheduler.now());
  const WallTime wall_time = env_.wall_clock.now();
  contact_.sent();
  if (book_.change()->kind == LeaseBook::Change::Kind::acquire) {
    AcquireRequest request(book_.request(), book_.change()->limit);
    request.service = options_.service;
    request.now = wall_time;
    request.reap_after = reap_after(options_);
    const Result<AcquireReply> reply = co_await store_.acquire(std::move(request), deadline);
    if (!reply) {
      note_failure(reply.error());
      co_return false;
    }
    contact_.answered(env_.scheduler.now());
    if (book_.id() == id) settle(*reply);
  } else {
    ReleaseRequest request(book_.request(), wall_time);
    const Result<ReleaseReply> reply = co_await store_.release(std::move(request), deadline);
    if (!reply) {
      note_failure(reply.error());
      co_return false;
    }
    contact_.answered(env_.scheduler.now());
    if (book_.id() == id) settle(*reply);
  }
  co_return true;
}

void LeaseAgent::note_active(int active) {
  active_ = active;
  active_heard_at_ = env_.scheduler.now();
  excess_ = std::max(0, active - options_.limit);
}

int LeaseAgent::active() const {
  return reaper_.listed_at() > active_heard_at_ ? reaper_.listed_active() : active_;
}

void LeaseAgent::settle(const AcquireReply& reply) {
  note_active(reply.active);
  switch (reply.outcome) {
    case AcquireOutcome::granted: {
      // A new lease was made by the first of the requests sent for it, maybe, and nothing was heard
      // since.
      const Instant begun = book_.change()->begun;
      const bool is_new = !book_.has_lease();
      book_.end_granted(reply.held);
      if (is_new) {
        term_.begin(begun, env_.random);
        keep_news_.notify();
      }
      recover();
      serve();
      return;
    }
    case AcquireOutcome::limit_reached: refuse(reply); return;
    case AcquireOutcome::lost: lose("an acquire"); return;
  }
}

void LeaseAgent::refuse(const AcquireReply& reply) {
  const int wanted = book_.change()->connections;
  book_.end_refused();
  const int room = options_.limit - reply.active;
  if (room > 0 && room < wanted) {
    room_ = room;
    return;
  }
  wait_for_share();
}

void LeaseAgent::settle(const ReleaseReply& reply) {
  note_active(reply.active);
  // If everything was given back, it does not matter whether an earlier try or a reaper ended it.
  if (reply.outcome == HolderOutcome::lost && book_.held() > 0) {
    lose("a release");
    return;
  }
  book_.end_released(reply.held);
  if (!book_.has_lease() && state_ == State::suspended) state_ = State::sound;
  keep_news_.notify();
}

bool LeaseAgent::is_released() const {
  return book_.held() == 0 && book_.in_use() == 0 && !book_.change();
}

void LeaseAgent::note_failure(const Error& error) {
  contact_.failed(error.code());
  if (!contact_.is_away()) return;
  serve();
  // That the store has too many requests says nothing about the cluster's limit of connections.
  const Errc code = error.code() == Errc::timed_out ? Errc::timed_out : Errc::connect_failed;
  line_.fail_all(Error(
      code, fmt::format("the lease store is away ({} requests in a row failed, the last: {}); "
                        "this process holds {} leases, all in use or in doubt",
                        contact_.failures(), error.text(), book_.held())));
}

Task<bool> LeaseAgent::close(Instant deadline) {
  is_closing_ = true;
  contact_.end_by(deadline);
  line_.fail_all(Error(Errc::closed, "the lease agent is closing"));
  trade_news_.notify();
  reaper_.stop();
  while (is_started_ && !stopping_.is_cancelled() && !is_released()) {
    const bool is_in_time = co_await changed_.wait_until(deadline);
    if (!is_in_time) break;
  }
  stopping_.cancel();
  trade_news_.notify();
  keep_news_.notify();
  share_news_.notify();
  co_await tasks_.join();
  co_return is_released();
}

}  // namespace forebay
