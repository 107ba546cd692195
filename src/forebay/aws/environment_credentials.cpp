#include "forebay/aws/environment_credentials.hpp"

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
  Credentials credentials(id, secret, value("AWS_SESSION_TOKEN"));
  credentials.source = "the environment (AWS_ACCESS_KEY_ID)";
  co_return Finding::found(std::move(credentials));
}

}  // namespace forebay::aws
