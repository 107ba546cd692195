#include "forebay/aws/credentials/instance_credentials.hpp"

#include <chrono>

#include "forebay/aws/credentials/cached_credentials.hpp"
#include "forebay/aws/credentials/credentials_answer.hpp"
#include "forebay/aws/credentials/instance_metadata.hpp"
#include "forebay/aws/signing/uri.hpp"
#include "forebay/base/ascii_text.hpp"
#include "forebay/base/log.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

// EC2 has new credentials at hand five minutes before the old ones end. If it hands out older ones
// it cannot make any, and AWS may go on to accept these: that is for AWS to decide. They are
// used, and looked for again after 2 to 10 minutes, which chance spreads over a fleet.
void lengthen(Env env, Credentials& credentials) {
  const WallTime now = env.wall_clock.now();
  if (credentials.expires_at > now + kRefreshAhead) return;
  const Duration pause = env.random.between(2min, 10min);
  log::warning("AWS credentials of the instance are old, and used nevertheless",
               {log::field("source", credentials.source), log::field("look_again_in", pause)});
  credentials.expires_at = now + kRefreshAhead + pause;
}

}  // namespace

Task<Result<Finding>> InstanceCredentials::look(Instant deadline) {
  const Profiles profiles = co_await load_profiles(env_);
  InstanceMetadata metadata(env_, profiles.selected());
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
  lengthen(env_.env, *credentials);
  co_return Finding::found(std::move(*credentials));
}

}  // namespace forebay::aws
