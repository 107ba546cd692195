#include "forebay/aws/dynamodb/dynamodb_sentences.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "forebay/aws/dynamodb/one_of.hpp"
#include "forebay/aws/http_date.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::aws {
namespace {

// AWS accepts signatures that are this far from its own time.
constexpr Duration kAllowedSkew = std::chrono::minutes(5);

constexpr std::array<std::string_view, 4> kAccessDenied{"AccessDeniedException", "AccessDenied",
                                                        "NotAuthorized", "UnauthorizedOperation"};
constexpr std::array<std::string_view, 9> kBadSignature{
    "UnrecognizedClientException", "InvalidSignatureException",           "SignatureDoesNotMatch",
    "IncompleteSignature",         "IncompleteSignatureException",        "InvalidClientTokenId",
    "MissingAuthenticationToken",  "MissingAuthenticationTokenException", "InvalidAccessKeyId"};
constexpr std::array<std::string_view, 4> kOldKeys{"ExpiredTokenException", "ExpiredToken",
                                                   "TokenRefreshRequired", "RequestExpired"};

// The word that follows, up to the next blank.
std::string word_after(std::string_view text, std::string_view before) {
  const auto start = text.find(before);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + before.size());
  return std::string(text.substr(0, text.find(' ')));
}

// How far our clock is ahead of the one that wrote the answer; 0 if it does not say.
Duration skew(const DynamoDbException& exception, WallTime now) {
  const std::optional<WallTime> theirs = http_date(exception.date);
  return theirs ? now - *theirs : Duration();
}

bool is_about_time(const DynamoDbException& exception, WallTime now) {
  if (exception.name == "RequestTimeTooSkewed") return true;
  if (!is_one_of(kBadSignature, exception.name)) return false;
  const Duration ahead = skew(exception, now);
  return exception.message.starts_with("Signature expired") ||
         exception.message.starts_with("Signature not yet current") || ahead > kAllowedSkew ||
         ahead < -kAllowedSkew;
}

std::string clock_sentence(const DynamoDbException& exception, WallTime now) {
  const Duration ahead = skew(exception, now);
  const Duration apart =
      std::chrono::round<std::chrono::minutes>(ahead < Duration() ? -ahead : ahead);
  const std::string difference = apart == Duration()
                                     ? "differs from AWS's"
                                     : fmt::format("is {} {} AWS's", duration_text(apart),
                                                   ahead < Duration() ? "behind" : "ahead of");
  return fmt::format(
      "AWS refused the request's signature because this machine's clock {}; correct it (chrony, "
      "systemd-timesyncd)",
      difference);
}

std::string access_sentence(const DynamoDbCall& call, const DynamoDbPlace& place,
                            const DynamoDbException& exception) {
  std::string action = word_after(exception.message, "perform: ");
  if (action.empty()) {
    action = call.operation == "TransactWriteItems"
                 ? "dynamodb:PutItem, UpdateItem, DeleteItem or ConditionCheckItem"
                 : "dynamodb:" + call.operation;
  }
  const std::string who = word_after(exception.message, "User: ");
  return fmt::format(
      "AWS does not allow {} to do {} on table \"{}\" in {}; allow it in the policy of its role, "
      "as docs/coordination.md shows",
      who.empty() ? "these credentials" : who, action, call.table, place.region);
}

std::string validation_sentence(const DynamoDbCall& call, const DynamoDbPlace& place,
                                const DynamoDbException& exception) {
  if (exception.message.find("does not match the schema") != std::string::npos ||
      exception.message.find("Missing the key") != std::string::npos) {
    return fmt::format(
        "table \"{}\" in {} has another key than the text \"pk\", so it is not one of ours; name "
        "another table, or create one with \"forebay leases setup --table NAME\"",
        call.table, place.region);
  }
  return fmt::format("DynamoDB does not understand {}: {}", what_was_asked(call, place),
                     exception.message);
}

}  // namespace

std::string what_was_asked(const DynamoDbCall& call, const DynamoDbPlace& place) {
  return fmt::format("{} on table \"{}\" in {}", call.operation, call.table, place.region);
}

bool is_about_old_keys(const DynamoDbException& exception) {
  return is_one_of(kOldKeys, exception.name);
}

Error refusal(const DynamoDbCall& call, const DynamoDbPlace& place,
              const DynamoDbException& exception, WallTime now) {
  if (exception.name == "ResourceNotFoundException") {
    return {Errc::refused,
            fmt::format("DynamoDB has no table \"{}\" in {}; \"forebay leases setup --table {}\" "
                        "creates it, or correct the name or the region",
                        call.table, place.region, call.table)};
  }
  if (is_one_of(kAccessDenied, exception.name))
    return {Errc::refused, access_sentence(call, place, exception)};
  if (is_about_time(exception, now)) return {Errc::refused, clock_sentence(exception, now)};
  if (is_about_old_keys(exception)) {
    return {Errc::refused,
            "the AWS credentials have run out and nothing gives new ones; log in again, or let "
            "their source renew them"};
  }
  if (is_one_of(kBadSignature, exception.name)) {
    return {Errc::refused,
            fmt::format("AWS does not accept the credentials' signature ({}); the access key or "
                        "its secret is wrong, or \"{}\" is not the region of {}",
                        exception.name, place.region, place.host)};
  }
  if (exception.name == "ValidationException")
    return {Errc::invalid, validation_sentence(call, place, exception)};
  if (exception.name.empty()) {
    return {Errc::refused,
            fmt::format("{} answered {} with HTTP status {} and not as DynamoDB does; is a proxy "
                        "in between, or is the endpoint another service?",
                        place.host, what_was_asked(call, place), exception.status)};
  }
  return {Errc::refused, fmt::format("DynamoDB refused {}: {} ({})", what_was_asked(call, place),
                                     exception.name, exception.message)};
}

}  // namespace forebay::aws
