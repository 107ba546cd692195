#include "forebay/aws/credentials/credentials_chain.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "forebay/base/log.hpp"

namespace forebay::aws {

Task<Result<Credentials>> CredentialsChain::get(Instant deadline) {
  if (remembered_ != nullptr) {
    Result<Finding> finding = co_await remembered_->look(deadline);
    if (!finding) co_return failure(finding.error());
    if (finding->credentials()) co_return *finding->credentials();
    co_return failure(Errc::connect_failed,
                      "the AWS credentials in use cannot be renewed: " + finding->reason());
  }
  std::vector<std::string> reasons;
  for (const std::unique_ptr<CredentialsSource>& source : sources_) {
    Result<Finding> finding = co_await source->look(deadline);
    if (!finding) co_return failure(finding.error());
    if (finding->credentials()) {
      remembered_ = source.get();
      log::info("AWS credentials found", {log::field("source", finding->credentials()->source)});
      co_return *finding->credentials();
    }
    reasons.push_back(finding->reason());
  }
  co_return failure(Errc::refused,
                    fmt::format("no AWS credentials were found ({}): set AWS_ACCESS_KEY_ID and "
                                "AWS_SECRET_ACCESS_KEY, choose a profile with AWS_PROFILE, or give "
                                "this instance, container or service account a role",
                                fmt::join(reasons, "; ")));
}

}  // namespace forebay::aws
