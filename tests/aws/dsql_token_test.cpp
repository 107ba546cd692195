// Tokens that AWS's own libraries make of the same inputs, by their signatures.
#include "forebay/aws/signing/dsql_token.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/aws/signing/uri.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const WallTime kNovember(1'731'001'173s);  // 2024-11-07T17:39:33Z
const WallTime kAugust(1'724'716'800s);    // 2024-08-27T00:00:00Z

// A token's parameters by name, decoded.
std::map<std::string, std::string> parameters(const std::string& token) {
  std::map<std::string, std::string> all;
  const std::string address = "https://" + token;
  std::string_view query = split_url(address).query;
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    const std::size_t middle = one.find('=');
    all.emplace(one.substr(0, middle), uri_decoded(one.substr(middle + 1)));
  }
  return all;
}

struct KnownToken {
  DsqlTokenRequest request;
  Credentials credentials;
  WallTime time;
  std::string signature;
};

TEST(DsqlTokenTest, SignaturesAreThoseOfOtherLibraries) {
  const std::string test = "test.dsql.us-east-1.on.aws";
  const std::string peccy = "peccy.dsql.us-east-1.on.aws";
  const std::string region = "us-east-1";
  const Credentials session("ACCESS_KEY", "SECRET_KEY", "SESSION_TOKEN");
  const Credentials upper("ACCESS_KEY", "SECRET_KEY");
  const Credentials lower("access_key", "secret_key");
  const Credentials akid("akid", "secret", "token");
  const Credentials akid_alone("akid", "secret");
  const std::vector<KnownToken> table{
      {{test, region, "app"},
       session,
       kNovember,
       "57fe03e060348aaa21405c239bf02572bbc911076e94dcd65c12ae569dd8fcf4"},
      {{test, region, "admin"},
       session,
       kNovember,
       "5ac084bc7cabccc19a52a5d1b5c24b50d3ce143f43b659bd484c91aaf555e190"},
      {{test, region, "app"},
       lower,
       kNovember,
       "e319d85380261f643d78a558f76257f05aacea758a6ccd42a2510e2ae0854a47"},
      {{test, region, "admin"},
       lower,
       kNovember,
       "a08adc4c84a490014ce374b90c98ba9ed015b77b451c0d9f9fb3f8ca8c6f9c36"},
      {{peccy, region, "admin", 450s},
       akid,
       kAugust,
       "dd5373133b347f82a6e8a710e5fbd367f5e1d84824dc148b96d5f45089cb47f0"},
      {{peccy, region, "app", 450s},
       akid,
       kAugust,
       "9fdb9de7ca6822832943d5a4e1b02411d302a2b8204bd7e8193aa4875fbd5a58"},
      {{peccy, region, "app", 450s},
       akid_alone,
       kAugust,
       "f5f2ad764ca5df44045d4ab6ccecba0eef941b0007e5765885a0b6ed3702a3f8"},
      {{peccy, region, "admin", 450s},
       akid_alone,
       kAugust,
       "267cf8d04d84444f7a62d5bdb40c44bfc6cb13dd6c64fa7f772df6bbaa90fff1"},
      {{test, region, "app"},
       upper,
       kNovember,
       "dd8eca7ed389f9126274086a67afd6bffc240ceeef0d1a98906e1c66a72cdd50"},
      {{test, region, "admin"},
       upper,
       kNovember,
       "fd1f1656ad1ab6b526f79c4b08a059c807fcd81faaabf943d6f7eb430523ad55"},
  };
  for (const KnownToken& known : table) {
    const std::string token = sign_dsql_token(known.request, known.credentials, known.time);

    EXPECT_THAT(token, StartsWith(known.request.endpoint + "/?Action="));
    EXPECT_THAT(token, EndsWith("&X-Amz-Signature=" + known.signature));
  }
}

// DSQL knows itself by its name in lower case.
TEST(DsqlTokenTest, CapitalsAndAPortChangeNothing) {
  const Credentials credentials("ACCESS_KEY", "SECRET_KEY");
  const auto token = [&credentials](const char* host) {
    const DsqlTokenRequest request{host, "us-east-1", "app"};
    return sign_dsql_token(request, credentials, kNovember);
  };
  const std::string plain = token("test.dsql.us-east-1.on.aws");

  EXPECT_EQ(token("Test.DSQL.US-EAST-1.ON.AWS"), plain);
  EXPECT_EQ(token("test.dsql.us-east-1.on.aws:5432"), plain);
  EXPECT_EQ(token("test.dsql.us-east-1.on.aws."), plain);
}

TEST(DsqlTokenTest, ATokenSaysWhatItIs) {
  const Credentials credentials("ACCESS_KEY", "SECRET_KEY", "SESSION_TOKEN");

  const DsqlTokenRequest request{"test.dsql.us-east-1.on.aws", "us-east-1", "app"};
  const std::string token = sign_dsql_token(request, credentials, kNovember);

  const std::map<std::string, std::string> expected{
      {"Action", "DbConnect"},
      {"X-Amz-Algorithm", "AWS4-HMAC-SHA256"},
      {"X-Amz-Credential", "ACCESS_KEY/20241107/us-east-1/dsql/aws4_request"},
      {"X-Amz-Date", "20241107T173933Z"},
      {"X-Amz-Expires", "900"},
      {"X-Amz-Security-Token", "SESSION_TOKEN"},
      {"X-Amz-SignedHeaders", "host"},
      {"X-Amz-Signature", "57fe03e060348aaa21405c239bf02572bbc911076e94dcd65c12ae569dd8fcf4"}};
  EXPECT_EQ(parameters(token), expected);
}

TEST(DsqlTokenTest, ATokenLivesAtMostAWeekAndNotLongerThanTheCredentials) {
  Credentials credentials("id", "secret");
  DsqlTokenRequest request{"test.dsql.us-east-1.on.aws", "us-east-1", "app"};

  EXPECT_EQ(dsql_token_lifetime(request, credentials, kAugust), 15min);
  request.lifetime = 1000h;
  EXPECT_EQ(dsql_token_lifetime(request, credentials, kAugust), 168h);
  credentials.expires_at = kAugust + 90s + 900ms;
  EXPECT_EQ(dsql_token_lifetime(request, credentials, kAugust), 90s);
  EXPECT_THAT(sign_dsql_token(request, credentials, kAugust), HasSubstr("X-Amz-Expires=90&"));
}

}  // namespace
}  // namespace forebay::aws
