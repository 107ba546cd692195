// Signatures that AWS's test vectors and other libraries give for the same inputs, and the rules
// behind them. The whole set of vectors is tested beside this file, where it is at hand.
#include "forebay/aws/signing/sigv4.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/aws/dynamodb/crc32.hpp"
#include "forebay/hash/digest.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

const WallTime kTime(1'440'938'160s);  // 2015-08-30T12:36:00Z
const Credentials kCredentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
const SigningScope kScope{.region = "us-east-1", .service = "service"};

struct KnownSignature {
  const char* method;
  const char* target;
  std::vector<HttpHeader> headers;
  const char* by_headers;
  const char* by_query;
};

TEST(SigV4Test, SignaturesAreThoseOfAws) {
  const std::vector<KnownSignature> table{
      {"GET",
       "/",
       {},
       "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
       "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d"},
      {"GET",
       "/example/..",
       {},
       "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
       "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d"},
      {"GET",
       "//example//",
       {},
       "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
       "c1834e8fb0307243711f0f907f6ab7311ed300d87f13792d7ee4da89ab93e082"},
      {"GET",
       "/example space/",
       {},
       "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
       "7a1f416954786484c9824d93c1f26ef64acb9b1b6c9154d08c9f07d0e394abf6"},
      {"GET",
       "/\xe1\x88\xb4",
       {},
       "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
       "10eae3f14a260bd3911cc6d008d3c576d143b05b62f09782a7a4b37f52178e44"},
      {"GET",
       "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
       {},
       "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac",
       "c5f1848ceec943ac2ca68ee720460c23aaae30a2300586597ada94c4a65e4787"},
      {"GET",
       "/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~"
       "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
       {},
       "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
       "8e76a88a7433637b12778d5592799b29ad21ecd6cf6325051c21d86f0acda2bf"},
      {"GET",
       "/",
       {HttpHeader("My-Header1", "value2"), HttpHeader("My-Header1", "value2"),
        HttpHeader("My-Header1", "value1")},
       "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
       "3349ee0b81b4b589da0ff28a395c3591e04de515651dd74f298fa992d1507a97"},
      {"GET",
       "/",
       {HttpHeader("My-Header1", " value1"), HttpHeader("My-Header2", " \"a   b   c\"")},
       "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
       "e7bb0fd515e125e1aec2ecc4c0c17484fb06f6846b927c35e46005dd3df3acd4"},
      {"POST",
       "/",
       {},
       "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
       "2ce6e6d2e0cf2f9d1b55fafec88cd20574c31dc2e7631979f71ba2310083e95b"},
      {"POST",
       "/?Param1=value1",
       {},
       "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
       "a9ef26247f293bffe40eeff86a0480ba8c14d31503b2e0c3399e3a16bf1a3682"},
      {"GET",
       "/./example",
       {},
       "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5",
       "35034b1a0bdd969f346975386daf8aedfd4976573b8348cf4f67eaa41c5857de"},
  };
  for (const KnownSignature& known : table) {
    HttpRequest request(known.method, std::string("https://example.amazonaws.com") + known.target);
    request.headers = known.headers;

    const PresignedUrl presigned = presign(request, kCredentials, kScope, kTime, 1h);
    const Signature signature = sign_headers(request, kCredentials, kScope, kTime);

    EXPECT_EQ(signature.hex, known.by_headers) << known.target;
    EXPECT_EQ(presigned.signature.hex, known.by_query) << known.target;
    EXPECT_THAT(presigned.url, EndsWith("&X-Amz-Signature=" + presigned.signature.hex));
  }
}

TEST(SigV4Test, TheBodyIsSigned) {
  HttpRequest request("POST", "https://example.amazonaws.com/");
  request.headers = {HttpHeader("Content-Type", "application/x-www-form-urlencoded"),
                     HttpHeader("Content-Length", "13")};
  request.body = "Param1=value1";
  SigningScope scope = kScope;
  scope.has_body_header = true;

  const PresignedUrl presigned = presign(request, kCredentials, scope, kTime, 1h);
  const Signature signature = sign_headers(request, kCredentials, scope, kTime);

  EXPECT_EQ(signature.hex, "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b");
  EXPECT_EQ(presigned.signature.hex,
            "89a40deed0f26f9461242825a082d2222717248abc7ab41f552ad84a94ad46e9");
}

TEST(SigV4Test, SigningAgainReplacesTheSignature) {
  const Credentials session("AKIDEXAMPLE", kCredentials.secret_access_key, "first");
  const Credentials renewed("AKIDEXAMPLE", kCredentials.secret_access_key, "second");
  HttpRequest once("GET", "https://example.amazonaws.com/");
  HttpRequest twice = once;

  const Signature first = sign_headers(once, renewed, kScope, kTime);
  sign_headers(twice, session, kScope, kTime - 1min);
  const Signature second = sign_headers(twice, renewed, kScope, kTime);

  EXPECT_EQ(second.hex, first.hex);
  EXPECT_EQ(twice.headers.size(), once.headers.size());
}

TEST(SigV4Test, TheHostHasItsPortOnlyIfThatIsUnusual) {
  const auto host = [](const char* url) {
    HttpRequest request("GET", url);
    return sign_headers(request, kCredentials, kScope, kTime).canonical_request;
  };

  EXPECT_THAT(host("http://127.0.0.1:8000"), HasSubstr("\nhost:127.0.0.1:8000\n"));
  EXPECT_THAT(host("https://example.com:443/a"), HasSubstr("\nhost:example.com\n"));
  EXPECT_THAT(host("http://example.com:80?a=b"), HasSubstr("\nhost:example.com\n"));
  EXPECT_THAT(host("http://example.com:443"), HasSubstr("\nhost:example.com:443\n"));
}

TEST(SigV4Test, TheSessionTokenIsPartOfTheQueryBeforeItIsSigned) {
  const Credentials session("AKIDEXAMPLE", kCredentials.secret_access_key,
                            "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267");
  HttpRequest request("GET", "https://example.amazonaws.com/");

  const PresignedUrl presigned = presign(request, session, kScope, kTime, 1h);
  const Signature signature = sign_headers(request, session, kScope, kTime);

  EXPECT_EQ(presigned.signature.hex,
            "7ff2b50b376cb4d151970630573d6291dc128cc5c2a12ffb237f73cc53f67b6c");
  EXPECT_EQ(signature.hex, "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8");
}

TEST(SigV4Test, TheHostIsSignedInLowerCase) {
  const Credentials credentials("id", "secret");
  const SigningScope scope{.region = "us-east-1", .service = "dynamodb"};
  HttpRequest upper("POST", "https://DynamoDB.US-EAST-1.Amazonaws.com/");
  HttpRequest lower("POST", "https://dynamodb.us-east-1.amazonaws.com/");

  const Signature signature = sign_headers(upper, credentials, scope, WallTime());

  EXPECT_EQ(signature.hex, sign_headers(lower, credentials, scope, WallTime()).hex);
  EXPECT_EQ(upper.header("Host"), "dynamodb.us-east-1.amazonaws.com");
}

TEST(HashTest, TheyAreTheUsualOnes) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(hmac_sha256("key", "The quick brown fox jumps over the lazy dog")),
            "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8");
  EXPECT_EQ(sha1_hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(crc32(""), 0u);
  EXPECT_EQ(crc32("123456789"), 0xcbf43926u);
}

}  // namespace
}  // namespace forebay::aws
