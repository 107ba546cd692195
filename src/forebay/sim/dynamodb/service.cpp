#include "forebay/sim/dynamodb/service.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "forebay/aws/dynamodb/crc32.hpp"
#include "forebay/aws/json.hpp"
#include "forebay/base/utc_text.hpp"
#include "forebay/sim/dynamodb/operations.hpp"
#include "forebay/sim/dynamodb/signature_check.hpp"

namespace forebay::sim::dynamodb {
namespace {

namespace json = boost::json;

constexpr std::string_view kTargetStart = "DynamoDB_20120810.";
constexpr std::string_view kContentType = "application/x-amz-json-1.0";

// Where the real one's errors come from.
std::string_view origin(std::string_view type) {
  if (type == "ValidationException") return "com.amazon.coral.validate";
  if (type == "ThrottlingException") return "com.amazon.coral.availability";
  constexpr auto kOfTheFront = std::to_array<std::string_view>(
      {"InvalidSignatureException", "MissingAuthenticationTokenException",
       "IncompleteSignatureException", "UnrecognizedClientException", "SerializationException",
       "UnknownOperationException"});
  return std::ranges::find(kOfTheFront, type) != kOfTheFront.end()
             ? "com.amazon.coral.service"
             : "com.amazonaws.dynamodb.v20120810";
}

json::object to_json(const CancellationReason& reason) {
  json::object result{{"Code", reason.code}};
  if (!reason.message.empty()) result["Message"] = reason.message;
  if (reason.item) result["Item"] = dynamodb::to_json(*reason.item);
  return result;
}

// How many writes the transaction has; 0: it is none.
std::size_t transaction_size(const HttpRequest& request) {
  if (!request.header("x-amz-target").ends_with(".TransactWriteItems")) return 0;
  const auto body = aws::parse_object(request.body);
  const json::value* items = body ? body->if_contains("TransactItems") : nullptr;
  return items != nullptr && items->is_array() ? items->get_array().size() : 0;
}

}  // namespace

HttpResponse Service::response(int status, std::string body, WallTime now) {
  HttpResponse response(status);
  response.headers.emplace_back("Content-Type", std::string(kContentType));
  response.headers.emplace_back("Date", http_date_text(now.time_since_epoch()));
  response.headers.emplace_back("x-amzn-RequestId", fmt::format("SIM{:029}", ++responses_));
  response.headers.emplace_back("x-amz-crc32", fmt::format("{}", aws::crc32(body)));
  response.body = std::move(body);
  return response;
}

HttpResponse Service::refusal(const Refusal& refusal, WallTime now) {
  json::object body{{"__type", fmt::format("{}#{}", origin(refusal.type), refusal.type)}};
  // The one error that spells it so.
  const bool is_cancelled = !refusal.reasons.empty();
  body[is_cancelled ? "Message" : "message"] = refusal.message;
  if (refusal.item) body["Item"] = dynamodb::to_json(*refusal.item);
  json::array reasons;
  for (const CancellationReason& reason : refusal.reasons) reasons.push_back(to_json(reason));
  if (is_cancelled) body["CancellationReasons"] = std::move(reasons);
  return response(refusal.type == "InternalServerError" ? 500 : 400, json::serialize(body), now);
}

HttpResponse Service::answer(const HttpRequest& request, WallTime now) {
  const std::string_view target = request.header("x-amz-target");
  if (request.method != "POST" || !target.starts_with(kTargetStart) ||
      request.header("content-type") != kContentType) {
    return refusal(
        Refusal("UnknownOperationException",
                "a request is a POST of application/x-amz-json-1.0 with an X-Amz-Target"),
        now);
  }
  if (const auto problem = check_signer(request, now)) return refusal(*problem, now);
  const std::optional<json::object> body = aws::parse_object(request.body);
  if (!body) return refusal(Refusal("SerializationException", "the body is no JSON object"), now);
  const Answer<json::object> reply =
      perform(target.substr(kTargetStart.size()), *body, tables_, now);
  if (!reply) return refusal(reply.error(), now);
  return response(200, json::serialize(*reply), now);
}

HttpResponse Service::answer_busy(const HttpRequest& request, std::uint64_t kind, WallTime now) {
  const std::size_t writes = transaction_size(request);
  switch (kind % 3) {
    case 0:
      return refusal(Refusal("ThrottlingException", "Throughput exceeds the current capacity"),
                     now);
    case 1:
      return refusal(Refusal("ProvisionedThroughputExceededException",
                             "The level of configured provisioned throughput for the table was "
                             "exceeded"),
                     now);
    default: break;
  }
  if (writes == 0)
    return refusal(Refusal("TransactionConflictException", "Transaction is ongoing for the item"),
                   now);
  Refusal conflict("TransactionCanceledException", "Transaction cancelled");
  conflict.reasons.resize(writes);
  conflict.reasons[kind % writes].code = "TransactionConflict";
  conflict.reasons[kind % writes].message = "Transaction is ongoing for the item";
  return refusal(conflict, now);
}

std::optional<Refusal> Service::check_signer(const HttpRequest& request, WallTime now) const {
  return credentials_ ? check_signature(request, *credentials_, scope_, now)
                      : check_is_signed(request);
}

HttpResponse Service::answer_trouble(int status, const std::string& text, WallTime now) {
  const std::string_view type = status == 413   ? "RequestEntityTooLargeException"
                                : status == 503 ? "ServiceUnavailableException"
                                                : "InternalServerError";
  const json::object body{{"__type", fmt::format("com.amazon.coral.service#{}", type)},
                          {"message", text}};
  return response(status, json::serialize(body), now);
}

HttpResponse Service::answer_broken(WallTime now) {
  return refusal(Refusal("InternalServerError", "Internal server error"), now);
}

}  // namespace forebay::sim::dynamodb
