// LeaseAgent's renewing task: how a lease is kept, and what happens when it is not.
#include <algorithm>

#include <fmt/format.h>

#include "forebay/base/log.hpp"
#include "forebay/coordination/leases/lease_agent.hpp"

namespace forebay {

Task<void> LeaseAgent::keep() {
  const bool is_fencing = options_.on_loss == LeaseLoss::fence;
  while (!stopping_.is_cancelled()) {
    if (!book_.has_lease()) {
      const bool is_due = is_hungry() && env_.scheduler.now() >= announce_at_;
      if (is_due) co_await announce();
      if (!is_due) co_await keep_news_.wait_until(is_hungry() ? announce_at_ : kNever);
      continue;
    }
    const Instant now = env_.scheduler.now();
    if (is_fencing && state_ == State::sound && now >= fence_at()) suspend();
    if (now >= term_.renew_at()) {
      co_await renew();
      continue;
    }
    const Instant fence = is_fencing && state_ == State::sound ? fence_at() : kNever;
    co_await keep_news_.wait_until(std::min(term_.renew_at(), fence));
  }
}

Task<void> LeaseAgent::renew() {
  const std::string id = book_.id();
  const Instant sent = env_.scheduler.now();
  Instant deadline = std::min(contact_.answer_by(sent), term_.answer_by(sent));
  // The fence does not wait for an answer.
  if (options_.on_loss == LeaseLoss::fence && state_ == State::sound)
    deadline = std::min(deadline, fence_at());
  RenewRequest request(id, env_.wall_clock.now());
  request.claim = claim();
  contact_.sent();
  const Result<RenewReply> reply = co_await store_.renew(std::move(request), deadline);
  const Instant now = env_.scheduler.now();
  if (!reply) {
    term_.failed(now, env_.random);
    if (term_.failures() == 1)
      log::warning("Lease not renewed",
                   {log::field("service", options_.service), log::field("lease", id),
                    log::field("error", reply.error().text())});
    note_failure(reply.error());
    co_return;
  }
  term_.answered();
  contact_.answered(now);
  if (book_.id() != id || !book_.has_lease()) co_return;  // ended by a release in the meantime
  if (reply->outcome == HolderOutcome::lost) {
    lose("a renewal");
    co_return;
  }
  term_.renewed(sent, env_.random);
  if (state_ == State::suspended) state_ = State::sound;
  serve();
  trade_news_.notify();
}

void LeaseAgent::suspend() {
  state_ = State::suspended;
  log::warning(
      "Lease fenced",
      {log::field("service", options_.service), log::field("lease", book_.id()),
       log::field("attempt", term_.failures()), log::field("ends_in", options_.fence_before),
       log::field("connections", book_.in_use())});
  if (options_.on_lost) options_.on_lost();
}

void LeaseAgent::lose(std::string_view seen_by) {
  const bool is_fenced = state_ == State::suspended;
  log::warning("Lease lost",
               {log::field("service", options_.service), log::field("lease", book_.id()),
                log::field("seen_by", seen_by), log::field("connections", book_.in_use())});
  book_.lose();
  term_.end();
  state_ = State::lost;
  if (options_.on_loss == LeaseLoss::fence && !is_fenced && options_.on_lost) options_.on_lost();
  recover();
  trade_news_.notify();
}

void LeaseAgent::recover() {
  if (state_ == State::lost && book_.overhang() == 0) state_ = State::sound;
}

}  // namespace forebay
