#include "forebay/doctor/credentials_check.hpp"

#include "doctor/findings.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using doctor::check_credentials;
using doctor::CredentialsFacts;
using testing::Contains;
using testing::ElementsAre;

constexpr WallTime kSigned{1'700'000'000s};

CredentialsFacts credentials_facts() {
  CredentialsFacts facts;
  facts.region = "us-east-1";
  facts.source = "the container";
  facts.now = kSigned;
  facts.expires_at = kSigned + 6h;
  facts.user = "admin";
  facts.wanted_lifetime = facts.token_lifetime = 15min;
  return facts;
}

TEST(CredentialsCheckTest, TellsTheirSourceTheirEndAndThatATokenCanBeSigned) {
  const Findings findings = check_credentials(credentials_facts());
  EXPECT_THAT(findings, all_well());
  EXPECT_THAT(findings,
              Contains(tells(Severity::ok, "come from the container and expire in 6h0m0s")));
  EXPECT_THAT(findings, Contains(tells(Severity::ok, "a token for the user admin can be signed")));
}

TEST(CredentialsCheckTest, CredentialsThatEndAreToldBeforeAndAfter) {
  CredentialsFacts soon = credentials_facts();
  soon.expires_at = kSigned + 2min;
  EXPECT_THAT(check_credentials(soon),
              Contains(tells(Severity::warning, "expire in", "refresh the credentials")));
  CredentialsFacts over = credentials_facts();
  over.expires_at = kSigned - 1min;
  over.token_lifetime = 0s;
  EXPECT_THAT(check_credentials(over), Contains(tells(Severity::error, "expired")));
  EXPECT_THAT(check_credentials(over),
              Contains(tells(Severity::error, "no token can be signed", "token_provider")));
}

TEST(CredentialsCheckTest, ATokenThatIsShorterThanWantedIsNoted) {
  CredentialsFacts shorter = credentials_facts();
  shorter.token_lifetime = 7min;
  EXPECT_THAT(check_credentials(shorter), Contains(tells(Severity::note, "instead of")));
}

TEST(CredentialsCheckTest, WithoutCredentialsItSaysWhereTheyComeFrom) {
  CredentialsFacts none;
  none.failure = Error(Errc::refused, "there are no AWS credentials");
  EXPECT_THAT(check_credentials(none), ElementsAre(tells(Severity::error, "no AWS credentials",
                                                         "aws sts get-caller-identity")));
}

}  // namespace
}  // namespace forebay::test
