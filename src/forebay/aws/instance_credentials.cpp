#include "forebay/aws/instance_credentials.hpp"

#include <fmt/format.h>

#include "forebay/aws/credentials_answer.hpp"
#include "forebay/aws/instance_metadata.hpp"
#include "forebay/aws/uri.hpp"
#include "forebay/base/ascii_text.hpp"

namespace forebay::aws {

Task<Result<Finding>> InstanceCredentials::look(Instant deadline) {
  InstanceMetadata metadata(env_);
  const std::string folder = "/latest/meta-data/iam/security-credentials/";
  const Result<MetadataAnswer> roles = co_await metadata.get(folder, deadline);
  if (!roles) co_return failure(roles.error());
  if (!roles->text) co_return Finding::absent(roles->absence);
  // One a line; an instance has at most one.
  const std::string_view first = trimmed(*roles->text);
  const std::string role(trimmed(first.substr(0, first.find('\n'))));
  if (role.empty()) co_return Finding::absent("this instance has no role");

  const std::string path = folder + uri_encoded(role);
  const Result<MetadataAnswer> answer = co_await metadata.get(path, deadline);
  if (!answer) co_return failure(answer.error());
  if (!answer->text) co_return Finding::absent(answer->absence);
  Result<Credentials> credentials = read_credentials(*answer->text, metadata.who());
  if (!credentials) co_return failure(credentials.error());
  co_return Finding::found(std::move(*credentials));
}

}  // namespace forebay::aws
