#include "forebay/coordination/rate_items.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "forebay/coordination/item_values.hpp"

namespace forebay {
namespace {

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

Write RateItems::step(const std::optional<RateBucket::State>& seen, const RequestToken& token,
                      const RateBucket::Step& step) const {
  Write write(Write::Kind::update, table_, "dsqlconnect_bucket#" + endpoint_);
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
  Write write(Write::Kind::update, table_, fmt::format("dsqlconnect#{}#{}", endpoint_, ask.second));
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

}  // namespace forebay
