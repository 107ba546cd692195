#include "forebay/aws/credentials/credentials_answer.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "forebay/aws/credentials/iso_time.hpp"
#include "forebay/aws/json.hpp"

namespace forebay::aws {
namespace {

// Codes are like AssumeRoleUnauthorizedAccess. What looks different could be anything.
std::string code_of(const boost::json::object& object) {
  std::string code = text_at(object, "Code");
  if (code.empty()) code = text_at(object, "code");
  const bool is_plain = std::ranges::all_of(code, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  });
  return is_plain && code.size() <= 64 ? code : std::string();
}

}  // namespace

Result<Credentials> read_credentials(std::string_view body, const std::string& who,
                                     std::string_view token_name) {
  const std::optional<boost::json::object> object = parse_object(body);
  if (!object)
    return failure(Errc::connect_failed, fmt::format("{} answered with what is not JSON", who));
  const std::string code = code_of(*object);
  if (!code.empty() && code != "Success")
    return failure(
        Errc::refused,
        fmt::format("{} gives no credentials: {}; check the role and its trust policy", who, code));
  const std::string id = text_at(*object, "AccessKeyId");
  const std::string secret = text_at(*object, "SecretAccessKey");
  if (id.empty() || secret.empty())
    return failure(Errc::connect_failed,
                   fmt::format("{} answered without AccessKeyId and SecretAccessKey", who));
  Credentials credentials(id, secret, text_at(*object, token_name));
  if (const std::string end = text_at(*object, "Expiration"); !end.empty()) {
    const std::optional<WallTime> time = parse_iso_time(end);
    if (!time)
      return failure(Errc::connect_failed,
                     fmt::format("{} answered with an Expiration that is no time", who));
    credentials.expires_at = *time;
  }
  credentials.source = who;
  return credentials;
}

Error status_error(const HttpResponse& response, const std::string& who) {
  const std::optional<boost::json::object> object = parse_object(response.body);
  const std::string code = object ? code_of(*object) : std::string();
  const bool is_passing = response.status == 429 || response.status >= 500;
  return Error(is_passing ? Errc::connect_failed : Errc::refused,
               fmt::format("{} answered with HTTP status {}{}{}", who, response.status,
                           code.empty() ? "" : ", ", code));
}

}  // namespace forebay::aws
