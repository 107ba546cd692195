#include "forebay/aws/credentials/cached_credentials.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/log.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::aws {

CachedCredentials::CachedCredentials(Env env, std::unique_ptr<CredentialsProvider> source,
                                     RefreshRule rule)
    : env_(env),
      source_(std::move(source)),
      rule_(rule),
      closing_(env.scheduler),
      fetched_(env.scheduler),
      group_(env.scheduler) {}

Task<Result<Credentials>> CachedCredentials::get(Instant deadline) {
  for (;;) {
    if (closing_.is_cancelled()) co_return failure(Errc::closed, "the AWS credentials are closed");
    // Once, because the clock goes on meanwhile.
    const bool is_good = is_usable();
    // A pause is for failures, and for credentials that are still good.
    const bool is_pausing = env_.scheduler.now() < next_fetch_ && (error_.has_value() || is_good);
    const bool may_fetch = !is_fetching_ && !is_pausing;
    if (is_good) {
      if (may_fetch && time_left() <= rule_.ahead) start_fetch();
      co_return *credentials_;
    }
    if (may_fetch) start_fetch();
    if (!is_fetching_) co_return failure(*error_);
    ++waiting_;
    const bool is_fetched = co_await fetched_.wait_until(Until(deadline, closing_));
    --waiting_;
    if (!is_fetched && !closing_.is_cancelled()) co_return failure(waiting_error());
    // The fetch may have failed: those who waited for it are told.
    if (!closing_.is_cancelled() && error_ && !is_usable()) co_return failure(*error_);
  }
}

// Those that were fetched a moment ago are kept: the source has no others yet, and should not be
// asked at every request that fails.
void CachedCredentials::reject(const std::string& access_key_id) {
  if (!credentials_ || credentials_->access_key_id != access_key_id) return;
  if (env_.scheduler.now() - fetch_start_ < rule_.first_pause) return;
  credentials_.reset();
}

Task<void> CachedCredentials::close() {
  closing_.cancel();
  co_await source_->close();
  co_await group_.join();
  while (waiting_ > 0) co_await Yield(env_.scheduler);
  // Those whom the callers tell have their turn before the owner goes on.
  co_await Yield(env_.scheduler);
}

bool CachedCredentials::is_usable() const {
  return credentials_ && time_left() > rule_.last_moment;
}

Duration CachedCredentials::time_left() const {
  return credentials_->expires_at - env_.wall_clock.now();
}

void CachedCredentials::start_fetch() {
  is_fetching_ = true;
  fetch_start_ = env_.scheduler.now();
  group_.spawn(fetch());
}

Task<void> CachedCredentials::fetch() {
  const Instant limit = deadline_after(env_.scheduler.now(), rule_.fetch_limit);
  Result<Credentials> result = co_await source_->get(limit);
  if (!closing_.is_cancelled()) note(std::move(result));
  is_fetching_ = false;
  fetched_.notify_all();
}

void CachedCredentials::note(Result<Credentials> result) {
  const WallTime now = env_.wall_clock.now();
  if (result && result->expires_at - now <= rule_.last_moment)
    result =
        failure(Errc::refused, fmt::format("the AWS credentials from {} have already ended; is "
                                           "this machine's clock right?",
                                           result->source));
  if (!result) {
    ++failures_;
    const Duration pause = pause_after_failure();
    next_fetch_ = env_.scheduler.now() + pause;
    error_ = std::move(result).error();
    if (!rule_.logs_failures) return;
    std::optional<Duration> good_for;
    if (is_usable()) good_for = time_left();
    log::warning("AWS credentials not renewed",
                 {log::field("error", error_->text()), log::field("attempt", failures_),
                  log::field("retry_in", pause), log::field("good_for", good_for)});
    return;
  }
  credentials_ = std::move(*result);
  error_.reset();
  failures_ = 0;
  next_fetch_ = {};
  // Some sources hand out the same credentials until shortly before their end. Asking them at every
  // call would be of no use.
  if (time_left() <= rule_.ahead) next_fetch_ = env_.scheduler.now() + time_left() / 4;
}

Duration CachedCredentials::pause_after_failure() {
  Duration pause = rule_.first_pause;
  for (int i = 1; i < failures_ && pause < rule_.longest_pause; ++i) pause *= 2;
  pause = std::min(pause, rule_.longest_pause);
  return env_.random.between(pause / 2, pause);  // so that a fleet does not ask in step
}

Error CachedCredentials::waiting_error() const {
  return Error(
      Errc::timed_out,
      fmt::format("AWS credentials are still being fetched, for {} already; the next call may "
                  "find them",
                  readable_time(env_.scheduler.now() - fetch_start_)));
}

}  // namespace forebay::aws
