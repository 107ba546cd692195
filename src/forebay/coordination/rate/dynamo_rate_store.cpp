#include "forebay/coordination/rate/dynamo_rate_store.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/base/log.hpp"
#include "forebay/coordination/item_values.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay {
namespace {

// Each round that fails is another process's success, so with pauses that grow a handful will do.
constexpr int kRounds = 8;
constexpr Duration kPause = std::chrono::milliseconds(10);

using aws::AttributeValue;
using aws::Write;

// As long as older clients let a second's item live.
constexpr std::int64_t kSecondLivesFor = 180;

AttributeValue nanoseconds(WallTime time) { return number(time.time_since_epoch().count()); }

WallTime nanoseconds_at(const aws::Item& item, const std::string& name) {
  return WallTime(Duration(aws::integer_at(item, name).value_or(0)));
}

std::string text_of(const RequestToken& token) {
  return fmt::format("{:016x}{:016x}", token.high, token.low);
}

}  // namespace

RateItems::RateItems(std::string table, std::string endpoint)
    : table_(std::move(table)), endpoint_(std::move(endpoint)) {}

RateBucket::State RateItems::state(const aws::Item& item) {
  RateBucket::State state;
  state.latest = nanoseconds_at(item, "latest_ns");
  state.next_free = nanoseconds_at(item, "next_free_ns");
  return state;
}

std::optional<TakeReply> RateItems::reply_to(const RequestToken& token, const aws::Item& item) {
  if (aws::text_at(item, "last_token") != text_of(token)) return std::nullopt;
  TakeReply reply;
  reply.granted = small(aws::integer_at(item, "granted").value_or(0));
  reply.earliest = nanoseconds_at(item, "earliest_ns");
  reply.first = nanoseconds_at(item, "first_ns");
  reply.spacing = Duration(aws::integer_at(item, "spacing_ns").value_or(0));
  reply.now = nanoseconds_at(item, "latest_ns");
  reply.retry_at = nanoseconds_at(item, "retry_at_ns");
  return reply;
}

int RateItems::count(const aws::Item& item) {
  return small(aws::integer_at(item, "count").value_or(0));
}

std::optional<WallTime> RateItems::used_at(const std::optional<aws::Item>& bucket) {
  if (!bucket || !aws::integer_at(*bucket, "latest_ns")) return std::nullopt;
  return nanoseconds_at(*bucket, "latest_ns");
}

std::string RateItems::key(std::int64_t second) const {
  return fmt::format("dsqlconnect#{}#{}", endpoint_, second);
}

std::vector<std::string> RateItems::keys(const std::vector<std::int64_t>& seconds) const {
  std::vector<std::string> keys;
  keys.reserve(seconds.size());
  for (const std::int64_t second : seconds) keys.push_back(key(second));
  return keys;
}

Write RateItems::step(const std::optional<RateBucket::State>& seen, const RequestToken& token,
                      const RateBucket::Step& step) const {
  Write write(Write::Kind::update, table_, bucket_key());
  write.update =
      "SET latest_ns = :latest, next_free_ns = :next_free, last_token = :token, "
      "granted = :granted, earliest_ns = :earliest, first_ns = :first, spacing_ns = :spacing, "
      "retry_at_ns = :retry_at";
  write.values = {{":latest", nanoseconds(step.state.latest)},
                  {":next_free", nanoseconds(step.state.next_free)},
                  {":token", AttributeValue::text(text_of(token))},
                  {":granted", number(step.reply.granted)},
                  {":earliest", nanoseconds(step.reply.earliest)},
                  {":first", nanoseconds(step.reply.first)},
                  {":spacing", number(step.reply.spacing.count())},
                  {":retry_at", nanoseconds(step.reply.retry_at)}};
  if (!seen) {
    write.condition = "attribute_not_exists(pk)";
    return write;
  }
  write.condition =
      "latest_ns = :seen_latest AND next_free_ns = :seen_next_free AND last_token <> :token";
  write.values.emplace(":seen_latest", nanoseconds(seen->latest));
  write.values.emplace(":seen_next_free", nanoseconds(seen->next_free));
  return write;
}

Write RateItems::add(const RateWindow::Ask& ask, WallTime now) const {
  Write write(Write::Kind::update, table_, key(ask.second));
  write.update = "SET updated_at_ms = :now, ttl_epoch = :end ADD #count :n";
  write.condition = "attribute_not_exists(#count) OR #count <= :most";
  write.names = {{"#count", "count"}};
  const auto milliseconds =
      std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch()).count();
  write.values = {{":now", number(milliseconds)},
                  {":end", number(ask.second + kSecondLivesFor)},
                  {":n", number(ask.places)},
                  {":most", number(std::int64_t{ask.most} - ask.places)}};
  return write;
}

DynamoRateStore::DynamoRateStore(Env env, aws::DynamoDb& client, std::string table,
                                 std::string endpoint, RateLimits limits)
    : env_(env),
      client_(client),
      table_(table),
      items_(std::move(table), std::move(endpoint)),
      limits_(limits),
      bucket_(limits) {
  if (limits.mode == RateMode::window) window_.emplace(limits);
}

Task<Result<TakeReply>> DynamoRateStore::take(TakeRequest request, Instant deadline) {
  if (!window_ && watch_.is_due(request.now)) co_await look_for_seconds(request.now, deadline);
  if (window_) co_return co_await take_from_window(request, deadline);
  co_return co_await take_from_bucket(request, deadline);
}

// Any answer will do; the bucket's also spares the first write a wrong guess.
Task<void> DynamoRateStore::learn_time(Instant deadline) {
  if (client_.clock().is_known()) co_return;
  const Result<std::optional<aws::Item>> bucket =
      co_await client_.get(table_, items_.bucket_key(), deadline);
  if (bucket && *bucket) seen_ = RateItems::state(**bucket);
}

// A look that fails is no reason to give out nothing: what is wrong with the store, the request
// itself will tell.
Task<void> DynamoRateStore::look_for_seconds(WallTime now, Instant deadline) {
  const bool was_alone = !watch_.has_company();
  std::vector<std::string> keys = items_.keys(watch_.begin(now));
  const Result<std::vector<aws::Item>> seconds =
      co_await client_.get_all(table_, std::move(keys), deadline);
  if (!seconds) co_return;
  watch_.end(seconds->size());
  if (!watch_.has_company() || !was_alone) co_return;
  const bool is_moving = limits_.mode == RateMode::automatic;
  if (is_moving) window_.emplace(limits_);
  log::warning("Others count connects by the second, and a bucket does not see them",
               {log::field("seconds", seconds->size()),
                log::field("advice", is_moving ? "this process counts by the second from now on"
                                               : "set rate.mode to window or auto")});
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
