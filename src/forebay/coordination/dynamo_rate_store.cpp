#include "forebay/coordination/dynamo_rate_store.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/env/sleep.hpp"

namespace forebay {
namespace {

// Each round that fails is another process's success, so with pauses that grow a handful will do.
constexpr int kRounds = 8;
constexpr Duration kPause = std::chrono::milliseconds(10);

}  // namespace

DynamoRateStore::DynamoRateStore(Env env, aws::DynamoDb& client, std::string table,
                                 std::string endpoint, RateLimits limits)
    : env_(env), client_(client), items_(std::move(table), std::move(endpoint)), bucket_(limits) {
  if (limits.mode == RateMode::window) window_.emplace(limits);
}

Task<Result<TakeReply>> DynamoRateStore::take(TakeRequest request, Instant deadline) {
  return window_ ? take_from_window(request, deadline) : take_from_bucket(request, deadline);
}

Task<Result<TakeReply>> DynamoRateStore::take_from_bucket(TakeRequest request, Instant deadline) {
  for (int round = 1; round <= kRounds; ++round) {
    const std::optional<RateBucket::State> seen = seen_;
    const RateBucket::Step step = bucket_.take(seen.value_or(RateBucket::State()), request);
    aws::Write write = items_.step(seen, request.token, step);
    const Result<aws::WriteReply> done = co_await client_.write(std::move(write), deadline);
    if (!done) co_return failure(done.error());
    if (done->is_done) {
      seen_ = step.state;
      co_return step.reply;
    }
    seen_.reset();
    if (done->item) {
      seen_ = RateItems::state(*done->item);
      const std::optional<TakeReply> known = RateItems::reply_to(request.token, *done->item);
      if (known) co_return *known;
    }
    const bool is_in_time = co_await pause(round, deadline);
    if (!is_in_time) break;
  }
  co_return failure(Errc::limit_reached,
                    fmt::format("too many processes wanted places of the rate at once: {} others "
                                "came first; it is tried again",
                                kRounds));
}

// False: the deadline comes first.
Task<bool> DynamoRateStore::pause(int round, Instant deadline) {
  const Duration longest = kPause * round;
  const Instant end = env_.scheduler.now() + env_.random.between(Duration::zero(), longest);
  if (end >= deadline) co_return false;
  co_await sleep_until(env_.scheduler, end);
  co_return true;
}

// A try that fails shows that more was taken than was known, so the next asks for less, or of the
// next second.
Task<Result<TakeReply>> DynamoRateStore::take_from_window(TakeRequest request, Instant deadline) {
  for (int round = 1; round <= kRounds; ++round) {
    const std::optional<RateWindow::Ask> ask = window_->ask(request);
    if (!ask) break;
    aws::Write write = items_.add(*ask, request.now);
    const Result<aws::WriteReply> done = co_await client_.write(std::move(write), deadline);
    if (!done) co_return failure(done.error());
    window_->note(ask->second, done->item ? RateItems::count(*done->item) : ask->most);
    if (done->is_done) co_return window_->grant(request, *ask);
  }
  co_return window_->refuse(request);
}

}  // namespace forebay
