#include "forebay/doctor/credentials_check.hpp"

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::doctor {
namespace {

constexpr Duration kSoon = std::chrono::minutes(5);

void check_end(const CredentialsFacts& facts, Notebook& notebook) {
  const std::string from = fmt::format("credentials come from {}", facts.source);
  if (facts.expires_at == WallTime::max()) {
    notebook.ok(fmt::format("{}; they do not say that they expire; region {}", from, facts.region));
    return;
  }
  const Duration left = facts.expires_at - facts.now;
  const std::string advice =
      "refresh the credentials; check the role of the task, pod or instance, or log in again";
  if (left <= Duration()) {
    notebook.error(fmt::format("{} and expired {} ago", from, readable_time(-left)),
                   "AWS refuses everything that they sign", advice);
  } else if (left < kSoon) {
    notebook.warning(fmt::format("{} and expire in {}", from, readable_time(left)),
                     "if their source does not renew them, connects and leases fail then", advice);
  } else {
    notebook.ok(
        fmt::format("{} and expire in {}; region {}", from, readable_time(left), facts.region));
  }
}

void check_token(const CredentialsFacts& facts, Notebook& notebook) {
  if (facts.user.empty()) return;
  if (facts.token_lifetime <= Duration()) {
    notebook.error(fmt::format("no token can be signed for the user {}", facts.user),
                   "the database takes no login without one (refill failures token_provider)",
                   "refresh the credentials, and check the clock");
  } else if (facts.token_lifetime < facts.wanted_lifetime) {
    notebook.note(
        fmt::format("tokens for the user {} are good for {} instead of {}", facts.user,
                    readable_time(facts.token_lifetime), readable_time(facts.wanted_lifetime)),
        "a token does not outlive the credentials that sign it");
  } else {
    notebook.ok(fmt::format("a token for the user {} can be signed, good for {}", facts.user,
                            readable_time(facts.token_lifetime)));
  }
}

}  // namespace

Findings check_credentials(const CredentialsFacts& facts) {
  Notebook notebook("credentials");
  if (facts.failure) {
    notebook.error(facts.failure->text(), "without credentials there are no tokens and no leases",
                   "set the role of the task, pod or instance, AWS_PROFILE or the AWS_ variables; "
                   "\"aws sts get-caller-identity\" shows what is found; AWS_REGION names the "
                   "region");
    return notebook.take();
  }
  check_end(facts, notebook);
  check_token(facts, notebook);
  return notebook.take();
}

}  // namespace forebay::doctor
