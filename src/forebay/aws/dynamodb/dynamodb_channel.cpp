#include "forebay/aws/dynamodb/dynamodb_channel.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "forebay/aws/dynamodb/dynamodb_json.hpp"
#include "forebay/aws/dynamodb/dynamodb_sentences.hpp"
#include "forebay/aws/http_date.hpp"
#include "forebay/aws/signing/sigv4.hpp"
#include "forebay/aws/signing/uri.hpp"
#include "forebay/base/secret_text.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;
using Kind = DynamoDbTrouble::Kind;

constexpr Duration kFirstDelay = 50ms;
constexpr Duration kLongestDelay = 1s;
constexpr Duration kLongestThrottledDelay = 2s;
constexpr Duration kPatience = 1500ms;        // with one try of a call that may be repeated
constexpr Duration kShortestPatience = 50ms;  // below it, the rest of the time is for one try
// DynamoDB knows the outcome of a transaction after 5 s at the latest.
constexpr Duration kTransactionEnd = 5100ms;

std::string regional_endpoint(const std::string& region) {
  return fmt::format("https://dynamodb.{}.amazonaws.com{}", region,
                     region.starts_with("cn-") ? ".cn" : "");
}

std::string chosen_endpoint(const DynamoDbOptions& options) {
  return options.endpoint_url.empty() ? regional_endpoint(options.region) : options.endpoint_url;
}

// Whatever a server quotes, no secret of ours is shown.
std::string without_secrets(std::string text, const Credentials& credentials) {
  for (const std::string* secret : {&credentials.secret_access_key, &credentials.session_token})
    text = without_secret(std::move(text), *secret);
  return text;
}

}  // namespace

DynamoDbChannel::DynamoDbChannel(Env env, HttpTransport& http, CredentialsProvider& credentials,
                                 DynamoDbOptions options)
    : env_(env),
      http_(http),
      credentials_(credentials),
      endpoint_(chosen_endpoint(options)),
      place_{options.region, std::string(split_url(endpoint_).host),
             !options.endpoint_url.empty()} {}

Task<Result<DynamoDbAnswer>> DynamoDbChannel::call(DynamoDbCall call, Instant deadline) {
  Tries tries;
  tries.first = env_.scheduler.now();
  for (;;) {
    Result<Credentials> credentials = co_await credentials_.get(deadline);
    if (!credentials) co_return failure(without_credentials(tries, credentials.error()));
    if (env_.scheduler.now() >= deadline)
      co_return failure(Errc::timed_out, "no time was left for " + what_was_asked(call, place_));
    HttpRequest request = request_for(call, *credentials);
    ++tries.made;
    ++usage_.requests;
    if (tries.made > 1) ++usage_.retries;
    const Instant sent = env_.scheduler.now();
    Result<HttpResponse> response =
        co_await http_.send(std::move(request), try_deadline(call, deadline));
    note_time(response, sent);
    std::expected<DynamoDbAnswer, DynamoDbTrouble> judgement =
        judged(call, place_, response, env_.wall_clock.now());
    if (judgement) {
      count(call, *judgement);
      co_return std::move(*judgement);
    }
    const DynamoDbTrouble& trouble = judgement.error();
    const bool is_worth_it = note(call, tries, trouble.kind, credentials->access_key_id);
    const Instant next = next_try(tries, trouble.kind);
    if (!is_worth_it || next >= deadline)
      co_return failure(given_up(call, tries, trouble, *credentials));
    co_await sleep_until(env_.scheduler, next);
  }
}

Task<bool> DynamoDbChannel::pause(int round, Instant deadline) {
  Tries tries;
  tries.made = round;
  const Instant next = next_try(tries, Kind::throttled);
  if (next >= deadline) co_return false;
  co_await sleep_until(env_.scheduler, next);
  co_return true;
}

std::string DynamoDbChannel::fresh_token() {
  const std::uint64_t high = env_.random.next();
  const std::uint64_t low = env_.random.next();
  return fmt::format("{:016x}{:016x}", high, low);
}

HttpRequest DynamoDbChannel::request_for(const DynamoDbCall& call,
                                         const Credentials& credentials) const {
  HttpRequest request("POST", endpoint_);
  request.headers.emplace_back("Content-Type", "application/x-amz-json-1.0");
  request.headers.emplace_back("X-Amz-Target", "DynamoDB_20120810." + call.operation);
  request.body = call.body;
  const SigningScope scope{.region = place_.region, .service = "dynamodb"};
  sign_headers(request, credentials, scope, env_.wall_clock.now());
  return request;
}

Instant DynamoDbChannel::try_deadline(const DynamoDbCall& call, Instant deadline) const {
  const Instant now = env_.scheduler.now();
  if (!call.is_repeatable || deadline <= now) return deadline;
  const Duration share = (deadline - now) / 2;
  return share < kShortestPatience ? deadline : now + std::min(kPatience, share);
}

void DynamoDbChannel::count(const DynamoDbCall& call, const DynamoDbAnswer& answer) {
  const auto add = [&](const boost::json::object& capacity) {
    const double writes = number_at(capacity, "WriteCapacityUnits");
    const double reads = number_at(capacity, "ReadCapacityUnits");
    const double units = writes + reads == 0 ? number_at(capacity, "CapacityUnits") : 0;
    usage_.write_units += writes + (call.is_write ? units : 0);
    usage_.read_units += reads + (call.is_write ? 0 : units);
  };
  if (!answer.exception.empty()) usage_.write_units += call.units_when_refused;
  if (const auto* const one = object_at(answer.body, "ConsumedCapacity")) add(*one);
  if (const auto* const several = array_at(answer.body, "ConsumedCapacity")) {
    for (const boost::json::value& capacity : *several)
      if (capacity.is_object()) add(capacity.get_object());
  }
}

void DynamoDbChannel::note_time(const Result<HttpResponse>& response, Instant sent) {
  if (!response) return;
  const std::optional<WallTime> date = http_date(response->header("date"));
  if (date) clock_.note(*date, sent, env_.scheduler.now());
}

bool DynamoDbChannel::note(const DynamoDbCall& call, Tries& tries, Kind kind,
                           const std::string& access_key) {
  if (kind == Kind::throttled) ++usage_.throttled;
  if (kind == Kind::conflict) usage_.write_units += call.units_when_refused;
  if (kind == Kind::in_progress || kind == Kind::unknown) tries.is_outcome_open = call.is_write;
  if (kind == Kind::unknown) return call.is_repeatable;
  if (kind != Kind::stale_keys) return kind != Kind::final;
  credentials_.reject(access_key);
  const bool is_new = tries.stale_key != access_key;
  tries.stale_key = access_key;
  return is_new;
}

Instant DynamoDbChannel::next_try(const Tries& tries, Kind kind) {
  const Instant now = env_.scheduler.now();
  if (kind == Kind::stale_keys) return now;
  const Duration longest = kind == Kind::throttled ? kLongestThrottledDelay : kLongestDelay;
  const Duration bound = std::min(longest, kFirstDelay * (1 << std::min(tries.made - 1, 10)));
  const Instant next = now + env_.random.between(Duration(), bound);
  const Instant end = tries.first + kTransactionEnd;
  return kind == Kind::in_progress && now < end ? std::min(next, end) : next;
}

// This try was not sent; an earlier one may have been.
Error DynamoDbChannel::without_credentials(const Tries& tries, const Error& error) const {
  if (tries.is_outcome_open) return {Errc::timed_out, error.text()};
  return {error.code() == Errc::timed_out ? Errc::connect_failed : error.code(), error.text()};
}

Error DynamoDbChannel::given_up(const DynamoDbCall& call, const Tries& tries,
                                const DynamoDbTrouble& trouble,
                                const Credentials& credentials) const {
  std::string text = trouble.error.text();
  if (tries.made > 1) {
    text += fmt::format(", after {} tries in {}", tries.made,
                        readable_time(env_.scheduler.now() - tries.first));
  }
  if (trouble.kind == Kind::throttled)
    text += "; other processes ask too much of the table, or its capacity is set too low";
  if (tries.is_outcome_open) {
    text = fmt::format("nobody knows whether {} was done: {}", what_was_asked(call, place_), text);
  }
  return {tries.is_outcome_open ? Errc::timed_out : trouble.error.code(),
          without_secrets(std::move(text), credentials)};
}

}  // namespace forebay::aws
