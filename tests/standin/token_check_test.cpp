#include "forebay/standin/access/token_check.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "forebay/aws/signing/dsql_token.hpp"
#include "forebay/base/utc_text.hpp"

namespace forebay::standin {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHost = "test.dsql.us-east-1.on.aws";

WallTime at(std::string_view text) { return WallTime(*parse_short_iso(text)); }

TokenRealm realm_of(aws::Credentials key) {
  TokenRealm realm;
  realm.region = "us-east-1";
  realm.keys.push_back(std::move(key));
  return realm;
}

const aws::Credentials kKey("AKID", "secret");
const WallTime kNow = at("20261118T200000Z");

std::string token(std::string user = "admin", std::string host = kHost,
                  std::string region = "us-east-1", const aws::Credentials& key = kKey,
                  WallTime now = kNow, Duration lifetime = 15min) {
  return aws::sign_dsql_token({std::move(host), std::move(region), std::move(user), lifetime}, key,
                              now);
}

// "good", or the hint, or the reason in brackets.
std::string verdict(const std::string& token, std::string_view user = "admin", WallTime now = kNow,
                    const aws::Credentials& key = kKey) {
  const auto refusal = check_token(token, user, kHost, realm_of(key), now);
  if (!refusal) return "good";
  return refusal->hint.empty() ? "(" + refusal->reason + ")" : refusal->hint;
}

// Tokens that other implementations sign, with their published signatures.
TEST(TokenCheckTest, TokensOfOtherSdksAreGood) {
  const aws::Credentials session("ACCESS_KEY", "SECRET_KEY", "SESSION_TOKEN");
  const std::string text =
      "test.dsql.us-east-1.on.aws/?Action=DbConnect&X-Amz-Algorithm=AWS4-HMAC-SHA256&"
      "X-Amz-Credential=ACCESS_KEY%2F20241107%2Fus-east-1%2Fdsql%2Faws4_request&"
      "X-Amz-Date=20241107T173933Z&X-Amz-Expires=900&X-Amz-Security-Token=SESSION_TOKEN&"
      "X-Amz-SignedHeaders=host&X-Amz-Signature="
      "57fe03e060348aaa21405c239bf02572bbc911076e94dcd65c12ae569dd8fcf4";
  EXPECT_EQ(verdict(text, "app", at("20241107T174000Z"), session), "good");

  // In the order of Java's SDK, and without the slash, as the one for C++ has it.
  const aws::Credentials plain("access_key", "secret_key");
  const std::string other =
      "test.dsql.us-east-1.on.aws?X-Amz-Algorithm=AWS4-HMAC-SHA256&Action=DbConnectAdmin&"
      "X-Amz-Date=20241107T173933Z&X-Amz-SignedHeaders=host&X-Amz-Expires=900&"
      "X-Amz-Credential=access_key%2F20241107%2Fus-east-1%2Fdsql%2Faws4_request&X-Amz-Signature="
      "a08adc4c84a490014ce374b90c98ba9ed015b77b451c0d9f9fb3f8ca8c6f9c36";
  EXPECT_EQ(verdict(other, "admin", at("20241107T174000Z"), plain), "good");
}

TEST(TokenCheckTest, OursAreGoodForTheirRole) {
  EXPECT_EQ(verdict(token()), "good");
  EXPECT_EQ(verdict(token("app"), "app"), "good");
  EXPECT_EQ(verdict(token("app"), "someone_else"), "good");  // the action is the same
  EXPECT_EQ(verdict(token("admin", "TEST.dsql.us-east-1.on.aws:5432")), "good");
}

TEST(TokenCheckTest, TheKindOfTokenMustBeThatOfTheRole) {
  EXPECT_EQ(verdict(token("app"), "admin"),
            "Wrong user to action mapping. user: admin, action: DbConnect");
  EXPECT_EQ(verdict(token("admin"), "app"),
            "Wrong user to action mapping. user: app, action: DbConnectAdmin");
}

TEST(TokenCheckTest, ATokenIsGoodForItsLifeAndNoLonger) {
  EXPECT_EQ(verdict(token(), "admin", kNow + 15min - 1s), "good");
  EXPECT_EQ(verdict(token(), "admin", kNow + 15min),
            "Signature expired: 20261118T201500Z is now earlier than 20261118T201500Z");
  EXPECT_EQ(verdict(token(), "admin", kNow - 5min), "good");  // clocks differ
  EXPECT_EQ(verdict(token(), "admin", kNow - 5min - 1s),
            "Signature not yet current: 20261118T200000Z is still later than 20261118T195959Z");
  std::string longer = token("admin", kHost, "us-east-1", kKey, kNow, std::chrono::weeks(1));
  EXPECT_EQ(verdict(longer, "admin", kNow + 6 * 24h), "good");
  longer.replace(longer.find("604800"), 6, "604801");
  EXPECT_EQ(verdict(longer), "(its date or its life makes no sense)");
}

TEST(TokenCheckTest, ATokenForElsewhereIsRefusedWithoutAHint) {
  EXPECT_EQ(verdict(token("admin", "other.dsql.us-east-1.on.aws")),
            "(it was signed for another host)");
  EXPECT_EQ(verdict(token("admin", kHost, "eu-west-1")),
            "(it was not signed for dsql in us-east-1)");
  EXPECT_EQ(verdict(token("admin", kHost, "us-east-1", aws::Credentials("OTHER", "secret"))),
            "(its access key is not known here)");
  EXPECT_EQ(verdict(token("admin", kHost, "us-east-1", aws::Credentials("AKID", "guess"))),
            "(its signature is wrong: another secret key, or other parameters)");
  EXPECT_EQ(verdict(token("admin", kHost, "us-east-1", aws::Credentials("AKID", "secret", "more"))),
            "(its session token is not that of the access key)");
}

TEST(TokenCheckTest, WhateverIsChangedTheSignatureNotices) {
  const std::string good = token();
  int refused = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = bad[i] == '0' ? '1' : '0';
    if (verdict(bad) != "good") ++refused;
  }
  EXPECT_EQ(refused, static_cast<int>(good.size()));
  EXPECT_NE(verdict(good + "&More=1"), "good");
  EXPECT_NE(verdict(good + "&Action=DbConnectAdmin"), "good");
}

TEST(TokenCheckTest, WhatIsNoTokenIsNone) {
  for (const char* const text : {"", "secret", "test.dsql.us-east-1.on.aws", "?", "&&&", "a?b=c",
                                 "test.dsql.us-east-1.on.aws/?Action=DbConnectAdmin"})
    EXPECT_EQ(verdict(text), "(it is no token)") << text;
}

}  // namespace
}  // namespace forebay::standin
