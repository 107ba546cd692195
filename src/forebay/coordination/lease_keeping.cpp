// LeaseAgent's renewing task: how a lease is kept, and what happens when it is not.
#include <algorithm>

#include <fmt/format.h>

#include "forebay/base/log.hpp"
#include "forebay/coordination/lease_agent.hpp"

namespace forebay {

Task<void> LeaseAgent::keep() {
  const bool is_fencing = options_.on_loss == LeaseLoss::fence;
  while (!is_stopped_) {
    if (!book_.has_lease()) {
      co_await keep_news_.wait_until(kNever);
      continue;
    }
    const Instant now = env_.scheduler.now();
    if (is_fencing && state_ == State::sound && now >= fence_at()) suspend();
    if (now >= renew_at_) {
      co_await renew();
      continue;
    }
    const Instant fence = is_fencing && state_ == State::sound ? fence_at() : kNever;
    co_await keep_news_.wait_until(std::min(renew_at_, fence));
  }
}

Instant LeaseAgent::fence_at() const {
  return book_.last_heard() + options_.ttl - options_.fence_before;
}

Task<void> LeaseAgent::renew() {
  const std::string id = book_.id();
  const Instant sent = env_.scheduler.now();
  Instant deadline = request_deadline();
  // The fence does not wait for an answer.
  if (options_.on_loss == LeaseLoss::fence && state_ == State::sound)
    deadline = std::min(deadline, fence_at());
  // Several tries must fit between two renewals, whatever a request may take otherwise.
  deadline = std::min(deadline, deadline_after(sent, options_.ttl / 6));
  RenewRequest request(id, env_.wall_clock.now());
  contact_.sent();
  const Result<RenewReply> reply = co_await store_.renew(std::move(request), deadline);
  const Instant now = env_.scheduler.now();
  if (!reply) {
    ++renewal_failures_;
    if (renewal_failures_ == 1)
      log::warning("Lease not renewed",
                   {log::field("service", options_.service), log::field("lease", id),
                    log::field("error", reply.error().text())});
    renew_at_ = now + backoff_delay(options_.backoff, renewal_failures_, env_.random);
    note_failure(reply.error());
    co_return;
  }
  renewal_failures_ = 0;
  contact_.answered(now);
  if (book_.id() != id || !book_.has_lease()) co_return;  // ended by a release in the meantime
  if (reply->outcome == HolderOutcome::lost) {
    lose("a renewal");
    co_return;
  }
  book_.renewed(sent);
  if (state_ == State::suspended) state_ = State::sound;
  plan_renewal(sent);
  serve();
  trade_news_.notify();
}

// A third of the ttl leaves time for two more tries of any length. The jitter keeps processes that
// started together from renewing together.
void LeaseAgent::plan_renewal(Instant sent) {
  const Duration every = options_.ttl / 3;
  renew_at_ = sent + every - env_.random.between(Duration::zero(), every / 4);
  keep_news_.notify();
}

void LeaseAgent::suspend() {
  state_ = State::suspended;
  log::warning(
      "Lease fenced",
      {log::field("service", options_.service), log::field("lease", book_.id()),
       log::field("attempt", renewal_failures_), log::field("ends_in", options_.fence_before),
       log::field("connections", book_.in_use())});
  if (options_.on_lost) options_.on_lost();
}

void LeaseAgent::lose(std::string_view seen_by) {
  const bool is_fenced = state_ == State::suspended;
  log::warning("Lease lost",
               {log::field("service", options_.service), log::field("lease", book_.id()),
                log::field("seen_by", seen_by), log::field("connections", book_.in_use())});
  book_.lose();
  renew_at_ = kNever;
  state_ = State::lost;
  if (options_.on_loss == LeaseLoss::fence && !is_fenced && options_.on_lost) options_.on_lost();
  recover();
  trade_news_.notify();
}

void LeaseAgent::recover() {
  if (state_ == State::lost && book_.overhang() == 0) state_ = State::sound;
}

}  // namespace forebay
