#include "forebay/coordination/rate/rate_agent.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/coordination/start_delay.hpp"

namespace forebay {
namespace {

// As far ahead as the store gives out places, by default.
constexpr Duration kLocalHorizon = std::chrono::seconds(1);

}  // namespace

RateOptions::RateOptions(const ClusterOptions& cluster)
    : connects_per_second(cluster.connects_per_second),
      request_timeout(cluster.request_timeout),
      max_wait(cluster.max_wait),
      stagger(cluster.stagger),
      on_absence(cluster.on_absence),
      is_wall_clock_followed(cluster.rate_mode == RateMode::window) {}

RateAgent::RateAgent(Env env, RateStore& store, RateOptions options)
    : env_(env),
      store_(store),
      options_(std::move(options)),
      contact_(options_.request_timeout),
      line_(env.scheduler),
      tasks_(env.scheduler),
      news_(env.scheduler),
      begun_time_(env.wall_clock.now()),
      begun_(env.scheduler.now()),
      base_time_(begun_time_),
      base_(begun_),
      is_by_second_(options_.is_wall_clock_followed) {
  FOREBAY_CHECK(options_.connects_per_second > 0 && options_.most_at_once >= 1);
}

Task<Result<Instant>> RateAgent::reserve(Instant deadline) {
  if (is_closed_) co_return failure(Errc::closed, "the rate agent is closed");
  if (line_.empty()) {
    if (const std::optional<Instant> start = take_place()) co_return *start;
  }
  if (!is_fetching_) {
    stagger();
    is_fetching_ = true;
    tasks_.spawn(fetch());
  }
  const Instant limit = deadline_after(env_.scheduler.now(), options_.max_wait);
  std::optional<Result<Instant>> result = co_await line_.wait(std::min(deadline, limit));
  if (result) co_return std::move(*result);
  co_return failure(limit <= deadline ? Errc::limit_reached : Errc::timed_out, why_late());
}

void RateAgent::stagger() {
  if (is_staggered_ || options_.stagger <= Duration::zero()) return;
  is_staggered_ = true;
  ask_at_ = env_.scheduler.now() + draw_start_delay(env_, options_.stagger);
}

std::string RateAgent::why_late() const {
  if (contact_.failures() > 0)
    return fmt::format("the rate store has not answered {} requests in a row", contact_.failures());
  return fmt::format(
      "all {} connects a second of the cluster are taken; {} callers of this process still wait",
      options_.connects_per_second, line_.size());
}

void RateAgent::give_back(Instant start) {
  if (start < env_.scheduler.now()) {
    ++lost_places_;
    return;
  }
  add_place(Place{start, start, false});
  hand_out();
}

Task<void> RateAgent::close() {
  is_closed_ = true;
  line_.fail_all(Error(Errc::closed, "the rate agent is closing"));
  news_.notify();
  co_await tasks_.join();
}

void RateAgent::add_place(Place place) {
  const auto later = [](const Place& a, const Place& b) { return a.start < b.start; };
  places_.insert(std::upper_bound(places_.begin(), places_.end(), place, later), place);
}

std::optional<Instant> RateAgent::take_place() {
  const Instant now = env_.scheduler.now();
  while (!places_.empty()) {
    const Place place = places_.front();
    places_.pop_front();
    if (place.until >= now) {
      if (place.is_put_off) ++waits_;
      return std::max(place.start, now);
    }
    ++lost_places_;
  }
  return std::nullopt;
}

void RateAgent::hand_out() {
  while (!line_.empty()) {
    const std::optional<Instant> start = take_place();
    if (!start) break;
    line_.serve(*start);
  }
}

// Runs while somebody waits; in the store's absence also when it is time to ask for it again.
Task<void> RateAgent::fetch() {
  while (!is_closed_) {
    Instant wake = ask_at_;
    if (local_) wake = std::min(wake, hand_out_locally());
    const Instant now = env_.scheduler.now();
    const bool is_due = now >= ask_at_;
    if (line_.empty() && !(local_ && is_due)) break;
    if (is_due) {
      co_await ask();
    } else {
      co_await news_.wait_until(wake);
    }
  }
  is_fetching_ = false;
}

Task<void> RateAgent::ask() {
  if (!token_) {
    token_.emplace();
    token_->high = env_.random.next();
    token_->low = env_.random.next();
  }
  // The first request is for one place: it shows how far ahead places must start to be of use.
  const int waiting = std::clamp(static_cast<int>(line_.size()), 1, options_.most_at_once);
  const int wanted = reply_time_ ? waiting : 1;
  const Instant learn_by = contact_.answer_by(env_.scheduler.now());
  co_await store_.learn_time(learn_by);
  const Instant sent = env_.scheduler.now();
  set_time(sent);
  const Instant deadline = contact_.answer_by(sent);
  TakeRequest request(*token_, wanted, store_time(sent), notice());
  contact_.sent();
  const Result<TakeReply> reply = co_await store_.take(request, deadline);
  if (!reply) {
    note_failure(reply.error());
    co_return;
  }
  token_.reset();
  accept(*reply, sent);
  hand_out();
}

void RateAgent::accept(const TakeReply& reply, Instant sent) {
  const Instant now = env_.scheduler.now();
  contact_.answered(now);
  local_.reset();
  is_by_second_ |= reply.is_by_second;
  reply_time_ = std::max(now - sent, reply_time_.value_or(Duration::zero()) * 7 / 8);
  base_time_ += std::max(Duration::zero(), reply.now - store_time(now));

  const WallTime store_now = store_time(now);
  WallTime last = store_now;
  for (int i = 0; i < reply.granted; ++i) {
    const WallTime start = reply.start(i);
    last = std::max(last, start);
    const WallTime until = std::max(start, reply.usable_until);
    if (until < store_now) {
      ++lost_places_;
    } else {
      add_place(
          Place{now + (start - store_now), now + (until - store_now), start > reply.earliest});
    }
  }
  // What comes next starts after the last of these, so asking for it can wait, and what
  // comes until then is asked for together.
  const Duration ahead = last - store_now;
  ask_at_ = now + std::max(Duration::zero(), ahead - std::max(ahead / 4, 2 * notice()));
  refusals_ = reply.granted == 0 ? refusals_ + 1 : 0;
  if (refusals_ == 0) return;
  // Those who were refused together come back one after the other, and less often the more there
  // seem to be.
  ask_at_ = now + std::max(Duration::zero(), reply.retry_at - store_now);
  ask_at_ += env_.random.between(Duration::zero(), options_.spread * std::min(refusals_, 4));
}

void RateAgent::note_failure(const Error& error) {
  contact_.failed(error.code());
  ask_at_ =
      env_.scheduler.now() + backoff_delay(options_.backoff, contact_.failures(), env_.random);
  if (!contact_.is_away()) return;
  if (options_.on_absence == StoreAbsence::local) {
    const int processes = options_.known_processes ? options_.known_processes() : 0;
    const double share = processes > 0 ? options_.connects_per_second / processes : 1.0;
    if (!local_) local_.emplace(std::max(1.0, share), 1);
    return;
  }
  const Errc code = error.code() == Errc::timed_out ? Errc::timed_out : Errc::connect_failed;
  line_.fail_all(Error(code, fmt::format("the rate store is away ({} requests in a row failed, the "
                                         "last: {}), so nobody knows when a connect may start",
                                         contact_.failures(), error.text())));
}

// When the next caller in line can be served so.
Instant RateAgent::hand_out_locally() {
  const Instant now = env_.scheduler.now();
  while (!line_.empty()) {
    const Instant ready = local_->next_start(now) - kLocalHorizon;
    if (ready > now) return ready;
    ++waits_;
    line_.serve(local_->take(now));
  }
  return kNever;
}

// In a window the seconds are those of one clock, also after it was set. A bucket's time only goes
// ahead: others may have been told of it.
void RateAgent::set_time(Instant now) {
  const WallTime own = is_by_second_ ? env_.wall_clock.now() : begun_time_ + (now - begun_);
  const WallTime told = store_.time(own, now);
  const bool is_ahead = is_time_set_ && !is_by_second_ && store_time(now) > told;
  is_time_set_ = true;
  if (is_ahead) return;
  base_time_ = told;
  base_ = now;
}

WallTime RateAgent::store_time(Instant now) const { return base_time_ + (now - base_); }

// Half as much again as replies take: those that take longer lose their first places.
Duration RateAgent::notice() const { return reply_time_.value_or(Duration::zero()) * 3 / 2; }

}  // namespace forebay
