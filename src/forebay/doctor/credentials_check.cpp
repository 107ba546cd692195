#include "forebay/doctor/credentials_check.hpp"

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::doctor {
namespace {

constexpr Duration kSoon = std::chrono::minutes(5);

void check_end(const CredentialsSight& sight, Notebook& notebook) {
  const std::string from = fmt::format("credentials come from {}", sight.source);
  if (sight.expires_at == WallTime::max()) {
    notebook.ok(fmt::format("{}; they do not say that they expire; region {}", from, sight.region));
    return;
  }
  const Duration left = sight.expires_at - sight.now;
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
        fmt::format("{} and expire in {}; region {}", from, readable_time(left), sight.region));
  }
}

void check_token(const CredentialsSight& sight, Notebook& notebook) {
  if (sight.user.empty()) return;
  if (sight.token_lifetime <= Duration()) {
    notebook.error(fmt::format("no token can be signed for the user {}", sight.user),
                   "the database takes no login without one (refill failures token_provider)",
                   "refresh the credentials, and check the clock");
  } else if (sight.token_lifetime < sight.wanted_lifetime) {
    notebook.note(
        fmt::format("tokens for the user {} are good for {} instead of {}", sight.user,
                    readable_time(sight.token_lifetime), readable_time(sight.wanted_lifetime)),
        "a token does not outlive the credentials that sign it");
  } else {
    notebook.ok(fmt::format("a token for the user {} can be signed, good for {}", sight.user,
                            readable_time(sight.token_lifetime)));
  }
}

}  // namespace

Findings check_credentials(const CredentialsSight& sight) {
  Notebook notebook("credentials");
  if (sight.failure) {
    notebook.error(sight.failure->text(), "without credentials there are no tokens and no leases",
                   "set the role of the task, pod or instance, AWS_PROFILE or the AWS_ variables; "
                   "\"aws sts get-caller-identity\" shows what is found; AWS_REGION names the "
                   "region");
    return notebook.take();
  }
  check_end(sight, notebook);
  check_token(sight, notebook);
  return notebook.take();
}

}  // namespace forebay::doctor
