#include "forebay/doctor/credentials_check.hpp"

#include "doctor/findings.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using doctor::check_credentials;
using doctor::CredentialsSight;
using testing::Contains;
using testing::ElementsAre;

constexpr WallTime kSigned{1'700'000'000s};

CredentialsSight credentials_sight() {
  CredentialsSight sight;
  sight.region = "us-east-1";
  sight.source = "the container";
  sight.now = kSigned;
  sight.expires_at = kSigned + 6h;
  sight.user = "admin";
  sight.wanted_lifetime = sight.token_lifetime = 15min;
  return sight;
}

TEST(CredentialsCheckTest, TellsTheirSourceTheirEndAndThatATokenCanBeSigned) {
  const Findings findings = check_credentials(credentials_sight());
  EXPECT_THAT(findings, all_well());
  EXPECT_THAT(findings,
              Contains(tells(Severity::ok, "come from the container and expire in 360 min")));
  EXPECT_THAT(findings, Contains(tells(Severity::ok, "a token for the user admin can be signed")));
}

TEST(CredentialsCheckTest, CredentialsThatEndAreToldBeforeAndAfter) {
  CredentialsSight soon = credentials_sight();
  soon.expires_at = kSigned + 2min;
  EXPECT_THAT(check_credentials(soon),
              Contains(tells(Severity::warning, "expire in", "refresh the credentials")));
  CredentialsSight over = credentials_sight();
  over.expires_at = kSigned - 1min;
  over.token_lifetime = 0s;
  EXPECT_THAT(check_credentials(over), Contains(tells(Severity::error, "expired")));
  EXPECT_THAT(check_credentials(over),
              Contains(tells(Severity::error, "no token can be signed", "token_provider")));
}

TEST(CredentialsCheckTest, ATokenThatIsShorterThanWantedIsNoted) {
  CredentialsSight shorter = credentials_sight();
  shorter.token_lifetime = 7min;
  EXPECT_THAT(check_credentials(shorter), Contains(tells(Severity::note, "instead of")));
}

TEST(CredentialsCheckTest, WithoutCredentialsItSaysWhereTheyComeFrom) {
  CredentialsSight none;
  none.failure = Error(Errc::refused, "there are no AWS credentials");
  EXPECT_THAT(check_credentials(none), ElementsAre(tells(Severity::error, "no AWS credentials",
                                                         "aws sts get-caller-identity")));
}

}  // namespace
}  // namespace forebay::test
