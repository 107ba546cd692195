#include "forebay/aws/credentials/instance_metadata.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/aws/credentials/credentials_answer.hpp"
#include "forebay/aws/credentials/http_tries.hpp"
#include "forebay/aws/signing/uri.hpp"
#include "forebay/base/ascii_text.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

constexpr Tries kTokenTries{2, 1s, 100ms};
constexpr Tries kQuestionTries{3, 1s, 100ms};
constexpr const char* kTokenSeconds = "21600";  // the most that EC2 gives

}  // namespace

MetadataAnswer MetadataAnswer::found(std::string text) {
  MetadataAnswer answer;
  answer.text = std::move(text);
  return answer;
}

MetadataAnswer MetadataAnswer::absent(std::string reason) {
  MetadataAnswer answer;
  answer.absence = std::move(reason);
  return answer;
}

InstanceMetadata::InstanceMetadata(AwsEnv env, const Profile& profile) : env_(env) {
  const auto setting = [&env, &profile](std::string_view variable, const std::string& key) {
    return std::string(trimmed(env.machine.variable(variable).value_or(value_at(profile, key))));
  };
  const std::string mode =
      setting("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "ec2_metadata_service_endpoint_mode");
  base_ = setting("AWS_EC2_METADATA_SERVICE_ENDPOINT", "ec2_metadata_service_endpoint");
  if (base_.empty())
    base_ = is_same_name(mode, "ipv6") ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
  while (base_.ends_with('/')) base_.pop_back();
}

std::string InstanceMetadata::who() const {
  return fmt::format("instance metadata at {}", split_url(base_).host);
}

Task<Result<MetadataAnswer>> InstanceMetadata::fetch_token(Instant deadline) {
  HttpRequest request("PUT", base_ + "/latest/api/token");
  request.headers.emplace_back("X-aws-ec2-metadata-token-ttl-seconds", kTokenSeconds);
  const Result<HttpResponse> response =
      co_await send_in_tries(env_, std::move(request), kTokenTries, deadline);
  if (!response) {
    if (response.error().code() == Errc::closed) co_return failure(response.error());
    co_return MetadataAnswer::absent(fmt::format("no answer from {}", who()));
  }
  // Turned off for this instance, or something else that listens at this address.
  if (response->status == 403 || response->status == 404 || response->status == 405)
    co_return MetadataAnswer::absent(
        fmt::format("{} gives no token (HTTP status {})", who(), response->status));
  const std::string token(trimmed(response->body));
  if (response->status != 200) co_return failure(status_error(*response, who()));
  if (token.empty() || token.size() > 4096 || token.find_first_of("\r\n ") != std::string::npos)
    co_return MetadataAnswer::absent(fmt::format("{} answered with what is no token", who()));
  co_return MetadataAnswer::found(token);
}

Task<Result<MetadataAnswer>> InstanceMetadata::get(std::string path, Instant deadline) {
  if (is_same_name(env_.machine.variable("AWS_EC2_METADATA_DISABLED").value_or(""), "true"))
    co_return MetadataAnswer::absent(
        "instance metadata is turned off by AWS_EC2_METADATA_DISABLED");
  if (token_.empty()) {
    Result<MetadataAnswer> token = co_await fetch_token(deadline);
    if (!token || !token->text) co_return token;
    token_ = *token->text;
  }
  HttpRequest request("GET", base_ + path);
  request.headers.emplace_back("X-aws-ec2-metadata-token", token_);
  const Result<HttpResponse> response =
      co_await send_in_tries(env_, std::move(request), kQuestionTries, deadline);
  if (!response) co_return failure(response.error());
  if (response->status == 404)
    co_return MetadataAnswer::absent(fmt::format("{} has nothing at {}", who(), path));
  if (response->status != 200) co_return failure(status_error(*response, who()));
  co_return MetadataAnswer::found(response->body);
}

}  // namespace forebay::aws
