#include "forebay/aws/credentials/sso_token.hpp"

#include "forebay/hash/digest.hpp"
#include "support/aws_world.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

class SsoTokenTest : public test::AwsWorld {
 protected:
  SsoTokenTest() {
    settings_.session = "corp";
    settings_.start_url = "https://corp.example";
    settings_.region = "eu-west-1";
    http_.handler = [](const HttpRequest&) {
      return test::response(200, R"({"accessToken":"new","expiresIn":3600})");
    };
  }

  void sign_in_until(const std::string& end) {
    machine_.files[path_] = R"({"accessToken":"old","expiresAt":")" + end +
                            R"(","refreshToken":"refresh","clientId":"c","clientSecret":"s",)" +
                            R"("registrationExpiresAt":"2026-02-01T00:00:00Z","more":1})";
  }
  Result<std::string> token() { return run(sso_token(aws(), profiles_, settings_, in(1min))); }

  const std::string path_ = "/home-of-test/.aws/sso/cache/" + sha1_hex("corp") + ".json";
  Profiles profiles_;
  SsoSettings settings_{"work"};
};

TEST_F(SsoTokenTest, IsRenewedAQuarterOfAnHourBeforeItsEnd) {
  sign_in_until("2026-01-01T00:15:00Z");
  EXPECT_EQ(token().value(), "old");
  EXPECT_TRUE(http_.requests.empty());

  sign_in_until("2026-01-01T00:14:59Z");
  EXPECT_EQ(token().value(), "new");
  const HttpRequest& request = http_.requests.at(0);
  EXPECT_EQ(request.url, "https://oidc.eu-west-1.amazonaws.com/token");
  EXPECT_EQ(request.body, R"({"grantType":"refresh_token","clientId":"c","clientSecret":"s",)"
                          R"("refreshToken":"refresh"})");
}

// What renewed it is used up. What we do not know stays.
TEST_F(SsoTokenTest, TheRenewedOneIsPutBackForOthers) {
  sign_in_until("2025-12-31T00:00:00Z");
  EXPECT_EQ(token().value(), "new");

  const std::string& kept = machine_.files[path_];
  EXPECT_NE(kept.find(R"("accessToken":"new")"), std::string::npos) << kept;
  EXPECT_NE(kept.find(R"("expiresAt":"2026-01-01T01:00:00Z")"), std::string::npos) << kept;
  EXPECT_NE(kept.find(R"("more":1)"), std::string::npos) << kept;
  EXPECT_EQ(kept.find("refreshToken"), std::string::npos) << kept;
}

// As in a container.
TEST_F(SsoTokenTest, OneThatCannotBePutBackIsUsed) {
  sign_in_until("2025-12-31T00:00:00Z");
  machine_.is_read_only = true;

  EXPECT_EQ(token().value(), "new");
  EXPECT_EQ(log_.count("AWS sign-in renewed, but not saved"), 1u);
}

// The request may have been done: another would use what is used up.
TEST_F(SsoTokenTest, ARenewalIsTriedOnce) {
  sign_in_until("2025-12-31T00:00:00Z");
  http_.handler = [](const HttpRequest&) { return test::response(503, "refresh"); };

  EXPECT_EQ(token().error().code(), Errc::connect_failed);
  EXPECT_EQ(http_.requests.size(), 1u);
  EXPECT_EQ(token().error().text().find("refresh"), std::string::npos);
}

TEST_F(SsoTokenTest, WhoMustSignInAgainIsToldTheCommand) {
  EXPECT_EQ(token().error().text(),
            "nobody has signed in to https://corp.example: run `aws sso login --profile work`");
  sign_in_until("2025-12-31T00:00:00Z");
  http_.handler = [](const HttpRequest&) { return test::response(400, "{}"); };
  EXPECT_EQ(token().error().text(),
            "the sign-in to https://corp.example has ended and cannot be renewed (the sign-in "
            "service at https://oidc.eu-west-1.amazonaws.com answered with HTTP status 400): run "
            "`aws sso login --profile work`");
  EXPECT_EQ(token().error().code(), Errc::refused);
}

}  // namespace
}  // namespace forebay::aws
