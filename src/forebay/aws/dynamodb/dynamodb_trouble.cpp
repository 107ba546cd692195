#include "forebay/aws/dynamodb/dynamodb_trouble.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "forebay/aws/dynamodb/crc32.hpp"
#include "forebay/aws/dynamodb/dynamodb_json.hpp"
#include "forebay/aws/dynamodb/dynamodb_sentences.hpp"
#include "forebay/aws/dynamodb/one_of.hpp"

namespace forebay::aws {
namespace {

using Kind = DynamoDbTrouble::Kind;
using Judgement = std::expected<DynamoDbAnswer, DynamoDbTrouble>;

// Those that AWS's own libraries take for throttling.
constexpr std::array<std::string_view, 13> kThrottling{"Throttling",
                                                       "ThrottlingException",
                                                       "ThrottledException",
                                                       "RequestThrottled",
                                                       "RequestThrottledException",
                                                       "TooManyRequestsException",
                                                       "ProvisionedThroughputExceededException",
                                                       "RequestLimitExceeded",
                                                       "BandwidthLimitExceeded",
                                                       "LimitExceededException",
                                                       "SlowDown",
                                                       "PriorRequestNotComplete",
                                                       "EC2ThrottledException"};
constexpr std::array<std::string_view, 3> kConflicts{
    "TransactionConflictException", "ReplicatedWriteConflictException", "ResourceInUseException"};

std::unexpected<DynamoDbTrouble> trouble(Kind kind, Errc code, std::string text) {
  return std::unexpected(DynamoDbTrouble(kind, Error(code, std::move(text))));
}

// "com.amazonaws.dynamodb.v20120810#ThrottlingException:http://..." is a ThrottlingException.
std::string exception_name(const boost::json::object& body) {
  std::string type = text_at(body, "__type");
  if (const auto hash = type.rfind('#'); hash != std::string::npos) type.erase(0, hash + 1);
  return type.substr(0, type.find(':'));
}

bool is_whole(const HttpResponse& response) {
  const std::string_view sum = response.header("x-amz-crc32");
  if (sum.empty()) return true;
  std::uint32_t value = 0;
  const auto [rest, error] = std::from_chars(sum.data(), sum.data() + sum.size(), value);
  return error == std::errc() && value == crc32(response.body);
}

// Whether a write of a cancelled transaction has that reason.
bool has_reason(const boost::json::object& body, std::string_view code) {
  const boost::json::array* const reasons = array_at(body, "CancellationReasons");
  return reasons != nullptr &&
         std::ranges::any_of(*reasons, [code](const boost::json::value& reason) {
           return reason.is_object() && text_at(reason.get_object(), "Code") == code;
         });
}

std::string reason_message(const boost::json::object& body, std::string_view code) {
  for (const boost::json::value& reason : *array_at(body, "CancellationReasons")) {
    if (reason.is_object() && text_at(reason.get_object(), "Code") == code)
      return text_at(reason.get_object(), "Message");
  }
  return {};
}

// A failed condition wins over the rest: it is the answer, whatever else stood in the way.
Judgement judged_cancellation(const DynamoDbCall& call, const DynamoDbPlace& place,
                              boost::json::object body) {
  const std::string asked = what_was_asked(call, place);
  if (has_reason(body, "ConditionalCheckFailed"))
    return DynamoDbAnswer(std::move(body), call.expected_exception);
  if (has_reason(body, "ValidationError")) {
    return trouble(Kind::final, Errc::invalid,
                   fmt::format("DynamoDB does not understand {}: {}", asked,
                               reason_message(body, "ValidationError")));
  }
  if (has_reason(body, "ThrottlingError") || has_reason(body, "ProvisionedThroughputExceeded"))
    return trouble(Kind::throttled, Errc::limit_reached, asked + " was throttled");
  if (has_reason(body, "TransactionConflict")) {
    return trouble(Kind::conflict, Errc::limit_reached,
                   asked + " met others who write the same items");
  }
  return trouble(Kind::final, Errc::refused,
                 fmt::format("DynamoDB cancelled {}: {}", asked, message_of(body)));
}

Judgement judged_exception(const DynamoDbCall& call, const DynamoDbPlace& place,
                           const HttpResponse& response, WallTime now) {
  boost::json::object body = parse_object(response.body).value_or(boost::json::object());
  const DynamoDbException exception{exception_name(body), message_of(body), response.status,
                                    std::string(response.header("date"))};
  const std::string asked = what_was_asked(call, place);

  if (exception.name == "TransactionCanceledException")
    return judged_cancellation(call, place, std::move(body));
  if (exception.name == call.expected_exception && !exception.name.empty())
    return DynamoDbAnswer(std::move(body), exception.name);
  if (exception.name == "TransactionInProgressException") {
    return trouble(Kind::in_progress, Errc::timed_out,
                   asked + " is still being worked on since an earlier try");
  }
  if (is_one_of(kThrottling, exception.name) || response.status == 429) {
    return trouble(Kind::throttled, Errc::limit_reached,
                   fmt::format("{} was throttled ({})", asked, exception.name));
  }
  if (is_one_of(kConflicts, exception.name)) {
    return trouble(Kind::conflict, Errc::limit_reached,
                   fmt::format("{} met others who write there ({})", asked, exception.name));
  }
  if (response.status == 503) {
    return trouble(Kind::unavailable, Errc::connect_failed,
                   fmt::format("DynamoDB at {} is not available (HTTP status 503)", place.host));
  }
  // DynamoDB's guide: after any other server error a write may or may not have been made.
  if (response.status >= 500) {
    return trouble(
        Kind::unknown, Errc::connect_failed,
        fmt::format("DynamoDB at {} failed (HTTP status {})", place.host, response.status));
  }
  const Kind kind = is_about_old_keys(exception) ? Kind::stale_keys : Kind::final;
  return std::unexpected(DynamoDbTrouble(kind, refusal(call, place, exception, now)));
}

Judgement judged_transport_error(const DynamoDbPlace& place, const Error& error) {
  switch (error.code()) {
    case Errc::connect_failed:
      return trouble(
          Kind::unreachable, Errc::connect_failed,
          fmt::format("DynamoDB at {} cannot be reached ({}); check the network and the {}",
                      place.host, error.text(),
                      place.is_endpoint_given ? std::string("endpoint")
                                              : fmt::format("region, \"{}\"", place.region)));
    case Errc::timed_out:
    case Errc::connection_lost:
      return trouble(Kind::unknown, Errc::timed_out,
                     fmt::format("DynamoDB at {} did not answer ({})", place.host, error.text()));
    default: return std::unexpected(DynamoDbTrouble(Kind::final, error));
  }
}

}  // namespace

Judgement judged(const DynamoDbCall& call, const DynamoDbPlace& place,
                 const Result<HttpResponse>& response, WallTime now) {
  if (!response) return judged_transport_error(place, response.error());
  if (!is_whole(*response)) {
    return trouble(Kind::unknown, Errc::connect_failed,
                   fmt::format("an answer of DynamoDB at {} was damaged on its way", place.host));
  }
  if (response->status != 200) return judged_exception(call, place, *response, now);
  std::optional<boost::json::object> body = parse_object(response->body);
  if (body) return DynamoDbAnswer(std::move(*body));
  return trouble(Kind::unknown, Errc::connect_failed,
                 fmt::format("{} answered with something that is not JSON; is a proxy in between?",
                             place.host));
}

}  // namespace forebay::aws
