#include "forebay/aws/dsql_tokens.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLeastLeft = 5min;

}  // namespace

DsqlTokens::DsqlTokens(Env env, CredentialsProvider& credentials, DsqlTokenRequest request)
    : env_(env), credentials_(credentials), request_(std::move(request)), renewed_(env.scheduler) {}

bool DsqlTokens::is_usable() const {
  return token_.has_value() && env_.wall_clock.now() < token_->expires_at;
}

bool DsqlTokens::is_fresh() const {
  if (!token_) return false;
  const Duration life = token_->expires_at - token_->signed_at;
  const WallTime now = env_.wall_clock.now();
  // One from the future was signed by a clock that was wrong.
  return token_->signed_at <= now && token_->expires_at - now >= std::min(life / 3, kLeastLeft);
}

Task<Result<std::string>> DsqlTokens::token(Instant deadline) {
  while (!is_fresh()) {
    if (!is_renewing_) co_return co_await renew(deadline);
    if (is_usable()) break;
    const bool is_notified = co_await renewed_.wait_until(deadline);
    if (!is_notified) {
      const Error error(Errc::timed_out, "the AWS credentials did not come in time");
      co_return failure(explained(error));
    }
    // Whose deadline passed failed alone; with anything else, the others would fail too.
    if (last_failure_ && last_failure_->code() != Errc::timed_out)
      co_return failure(*last_failure_);
  }
  co_return token_->text;
}

void DsqlTokens::reject(const std::string& token) {
  rejected_ = token;
  if (!token_ || token_->text != token) return;
  // One that should still be good was signed by credentials that are not, and they would sign the
  // next one too.
  if (is_usable()) credentials_.reject(token_->access_key_id);
  token_.reset();
}

Task<Result<std::string>> DsqlTokens::renew(Instant deadline) {
  is_renewing_ = true;
  Result<Credentials> credentials = co_await credentials_.get(deadline);
  is_renewing_ = false;
  Result<std::string> text = credentials ? sign(*credentials) : failure(credentials.error());
  last_failure_.reset();
  ++(text ? usage_.signed_tokens : usage_.failures);
  if (!text) last_failure_ = explained(text.error());
  renewed_.notify_all();
  if (text) co_return text;
  if (is_usable()) co_return token_->text;
  co_return failure(*last_failure_);
}

Result<std::string> DsqlTokens::sign(const Credentials& credentials) {
  const WallTime now = env_.wall_clock.now();
  DsqlTokenRequest request = request_;
  Duration lifetime = dsql_token_lifetime(request, credentials, now);
  if (lifetime <= 0s) {
    return failure(Errc::connect_failed,
                   fmt::format("the AWS credentials{} ran out {} ago; renew them where they come "
                               "from, or correct this machine's clock",
                               credentials.source.empty() ? "" : " from " + credentials.source,
                               readable_time(now - credentials.expires_at)));
  }
  std::string text = sign_dsql_token(request, credentials, now);
  if (text == rejected_) {
    // Within one second the same request has the same signature.
    lifetime -= 1s;
    request.lifetime = lifetime;
    text = sign_dsql_token(request, credentials, now);
  }
  token_ = Token{text, credentials.access_key_id, now, now + lifetime};
  return text;
}

Error DsqlTokens::explained(const Error& error) const {
  return {error.code(), fmt::format("no IAM token for user \"{}\" of {}: {}", request_.user,
                                    request_.endpoint, error.text())};
}

}  // namespace forebay::aws
