#include "forebay/aws/credentials/environment_credentials.hpp"

#include <optional>

#include "forebay/aws/credentials/iso_time.hpp"
#include "forebay/base/ascii_text.hpp"

namespace forebay::aws {

Task<Result<Finding>> EnvironmentCredentials::look(Instant) {
  const auto value = [this](std::string_view name) {
    // Secrets that come from files often end with the file's line end.
    return std::string(trimmed(machine_.variable(name).value_or("")));
  };
  const std::string id = value("AWS_ACCESS_KEY_ID");
  const std::string secret = value("AWS_SECRET_ACCESS_KEY");
  if (id.empty() && secret.empty()) co_return Finding::absent("AWS_ACCESS_KEY_ID is not set");
  if (id.empty() || secret.empty())
    co_return failure(Errc::refused,
                      "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together, "
                      "but only one of them is set: set both, or neither");
  const std::string older_token = value("AWS_SECURITY_TOKEN");
  Credentials credentials(id, secret,
                          older_token.empty() ? value("AWS_SESSION_TOKEN") : older_token);
  if (const std::string end = value("AWS_CREDENTIAL_EXPIRATION"); !end.empty()) {
    const std::optional<WallTime> time = parse_iso_time(end);
    if (!time)
      co_return failure(Errc::refused,
                        "AWS_CREDENTIAL_EXPIRATION is no time: write it like 2026-02-03T04:05:06Z");
    credentials.expires_at = *time;
  }
  credentials.source = "the environment (AWS_ACCESS_KEY_ID)";
  co_return Finding::found(std::move(credentials));
}

}  // namespace forebay::aws
