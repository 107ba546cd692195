// SCRAM-SHA-256: the exchange of RFC 7677 byte by byte, and both of our sides with each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "forebay/wire/auth/base64.hpp"
#include "forebay/wire/auth/scram_client.hpp"
#include "forebay/wire/auth/scram_message.hpp"
#include "forebay/wire/auth/scram_server.hpp"

namespace forebay::wire {
namespace {

using ::testing::HasSubstr;

// RFC 7677, section 3.
constexpr std::string_view kClientNonce = "rOprNGfwEbeRWgbNEkqO";
constexpr std::string_view kServerNonce = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
constexpr std::string_view kSalt = "W22ZaJ0SNY7soEsUEjb6gQ==";
constexpr std::string_view kClientFirst = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
constexpr std::string_view kServerFirst =
    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
constexpr std::string_view kClientFinal =
    "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
    "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
constexpr std::string_view kServerFinal = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

ScramClientOptions options_of(std::string_view password, std::string_view nonce = kClientNonce) {
  ScramClientOptions options{std::string(nonce)};
  options.user = "user";
  options.password = password;
  return options;
}

ScramVerifier vector_verifier() {
  return ScramVerifier::of("pencil", *bytes_of_base64(kSalt), 4096);
}
ScramServer vector_server() {
  return ScramServer(ScramServerOptions(vector_verifier(), std::string(kServerNonce)));
}

TEST(ScramVectorTest, TheClientSaysWhatTheStandardSays) {
  ScramClient client(options_of("pencil"));
  EXPECT_EQ(client.mechanism(), "SCRAM-SHA-256");
  EXPECT_EQ(client.first(), kClientFirst);
  EXPECT_EQ(*client.receive_challenge(kServerFirst), kClientFinal);
  EXPECT_FALSE(client.is_proven());
  EXPECT_TRUE(client.receive_outcome(kServerFinal));
  EXPECT_TRUE(client.is_proven());
}

TEST(ScramVectorTest, TheServerSaysWhatTheStandardSays) {
  ScramServer server = vector_server();
  EXPECT_EQ(*server.receive_first("SCRAM-SHA-256", kClientFirst), kServerFirst);
  EXPECT_EQ(*server.receive_final(kClientFinal), kServerFinal);
  ASSERT_TRUE(server.client_keys());
  EXPECT_EQ(server.client_keys()->keys.stored_key(), vector_verifier().stored_key);
}

// What went wrong, in words; empty: both sides are content.
std::string exchange(ScramClient& client, ScramServer& server) {
  const Result<std::string> challenge = server.receive_first(client.mechanism(), client.first());
  if (!challenge) return "first: " + challenge.error().text();
  const Result<std::string> answer = client.receive_challenge(*challenge);
  if (!answer) return "challenge: " + answer.error().text();
  const Result<std::string> outcome = server.receive_final(*answer);
  if (!outcome) return "final: " + outcome.error().text();
  const Result<void> proven = client.receive_outcome(*outcome);
  if (!proven) return "outcome: " + proven.error().text();
  return "";
}

RC_GTEST_PROP(ScramProperty, WhoKnowsThePasswordGetsInAndNobodyElse,
              (const std::string& right, const std::string& tried)) {
  RC_PRE(!tried.empty());
  const auto iterations = *rc::gen::inRange(1, 50);
  const ScramVerifier verifier = ScramVerifier::of(right, "sixteen bytes, salt", iterations);
  ScramClient client(options_of(tried, "abc"));
  ScramServer server(ScramServerOptions(verifier, "def"));
  const std::string problem = exchange(client, server);
  RC_ASSERT(problem.empty() == (right == tried));
  RC_ASSERT(client.is_proven() == (right == tried));
}

TEST(ScramTest, AnyChangedByteEndsTheExchange) {
  for (std::size_t place = 0; place < kClientFinal.size(); ++place) {
    ScramServer server = vector_server();
    static_cast<void>(server.receive_first("SCRAM-SHA-256", kClientFirst));
    std::string changed(kClientFinal);
    changed[place] = changed[place] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(server.receive_final(changed)) << changed;
    EXPECT_FALSE(server.client_keys());
  }
  for (std::size_t place = 0; place < kServerFinal.size(); ++place) {
    ScramClient client(options_of("pencil"));
    client.first();
    static_cast<void>(client.receive_challenge(kServerFirst));
    std::string changed(kServerFinal);
    changed[place] = changed[place] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(client.receive_outcome(changed)) << changed;
    EXPECT_FALSE(client.is_proven());
  }
}

TEST(ScramTest, TheClientRefusesImpossibleChallenges) {
  const auto refusal = [](std::string_view challenge) {
    ScramClient client(options_of("pencil", "abc"));
    client.first();
    const Result<std::string> answer = client.receive_challenge(challenge);
    return answer ? "accepted" : answer.error().text();
  };
  EXPECT_EQ(refusal("r=abcd,s=QQ==,i=1"), "accepted");
  EXPECT_THAT(refusal("r=abc,s=QQ==,i=1"), HasSubstr("nonce is not ours with something added"));
  EXPECT_THAT(refusal("r=xbcd,s=QQ==,i=1"), HasSubstr("nonce is not ours"));
  EXPECT_THAT(refusal("r=abcd,s=Q,i=1"), HasSubstr("salt is no base64"));
  EXPECT_THAT(refusal("r=abcd,s=,i=1"), HasSubstr("salt is no base64"));
  EXPECT_THAT(refusal("r=abcd,s=QQ==,i=0"), HasSubstr("iterations are 0, not 1 to 1000000"));
  EXPECT_THAT(refusal("r=abcd,s=QQ==,i=2000000000"), HasSubstr("iterations"));
  EXPECT_THAT(refusal("r=abcd,s=QQ==,i=1x"), HasSubstr("iterations"));
  EXPECT_THAT(refusal("m=x,r=abcd,s=QQ==,i=1"), HasSubstr("not all there"));
  EXPECT_THAT(refusal(""), HasSubstr("not all there"));
}

TEST(ScramTest, TheServerRefusesImpossibleFirstMessages) {
  const auto refusal = [](std::string_view first, std::string_view mechanism = kScram) {
    ScramServer server = vector_server();
    const Result<std::string> answer = server.receive_first(mechanism, first);
    return answer ? "accepted" : answer.error().sqlstate() + " " + answer.error().text();
  };
  EXPECT_EQ(refusal("n,,n=,r=abc"), "accepted");
  EXPECT_EQ(refusal("y,,n=,r=abc"), "accepted");
  EXPECT_THAT(refusal("n,,n=,r=abc", "SCRAM-SHA-1"), HasSubstr("08P01"));
  EXPECT_THAT(refusal("n,,n=,r=abc", kScramPlus), HasSubstr("not offered"));
  EXPECT_THAT(refusal("p=tls-unique,,n=,r=abc"), HasSubstr("08P01"));
  EXPECT_THAT(refusal("n,a=admin,n=,r=abc"), HasSubstr("0A000"));
  EXPECT_THAT(refusal("n,,m=x,n=,r=abc"), HasSubstr("0A000"));
  EXPECT_THAT(refusal("n,,n=,r="), HasSubstr("n and r"));
  EXPECT_THAT(refusal("n,,n=,r=a\x01"), HasSubstr("n and r"));
  EXPECT_THAT(refusal("n,,r=abc"), HasSubstr("n and r"));
  EXPECT_THAT(refusal("n"), HasSubstr("0A000"));
  EXPECT_THAT(refusal(""), HasSubstr("08P01"));
}

TEST(ScramTest, AStepOutOfTurnEndsTheExchange) {
  ScramClient client(options_of("pencil"));
  client.first();
  EXPECT_FALSE(client.receive_outcome(kServerFinal));
  EXPECT_FALSE(client.receive_challenge(kServerFirst));
  ScramServer early = vector_server();
  EXPECT_FALSE(early.receive_final(kClientFinal));
  EXPECT_FALSE(early.receive_first(kScram, kClientFirst));
  ScramServer twice = vector_server();
  EXPECT_TRUE(twice.receive_first(kScram, kClientFirst));
  EXPECT_FALSE(twice.receive_first(kScram, kClientFirst));
  EXPECT_FALSE(twice.receive_final(kClientFinal));
}

TEST(ScramTest, KnownKeysTakeThePlaceOfThePassword) {
  ScramClient first(options_of("pencil", "abc"));
  ScramServer server = vector_server();
  EXPECT_EQ(exchange(first, server), "");
  ASSERT_TRUE(first.derived());

  for (const std::optional<SaltedKeys>& keys : {first.derived(), server.client_keys()}) {
    ScramClientOptions without_password = options_of("", "xyz");
    without_password.known = keys;
    ScramClient second(without_password);
    ScramServer same = vector_server();
    EXPECT_EQ(exchange(second, same), "");
    ScramClient third(without_password);
    ScramServer salted(ScramServerOptions(ScramVerifier::of("pencil", "other"), "def"));
    EXPECT_THAT(exchange(third, salted), HasSubstr("salt is not the one"));
  }
  ScramClient nothing(options_of(""));
  ScramServer again = vector_server();
  EXPECT_THAT(exchange(nothing, again), HasSubstr("there is none"));
}

TEST(ScramTest, ExchangesCanBeBoundToTheirChannel) {
  const auto bound = [](const std::string& client_sees, const std::string& server_has,
                        bool could_bind = false) {
    ScramClientOptions client_options = options_of("pencil");
    client_options.channel_binding = client_sees;
    client_options.could_bind = could_bind;
    ScramServerOptions server_options(vector_verifier(), std::string(kServerNonce));
    server_options.channel_binding = server_has;
    ScramClient client(client_options);
    ScramServer server(server_options);
    return exchange(client, server);
  };
  EXPECT_EQ(bound("hash", "hash"), "");
  EXPECT_THAT(bound("hash of another", "hash"), HasSubstr("channel binding check failed"));
  EXPECT_EQ(bound("", "hash"), "");    // a client that cannot
  EXPECT_EQ(bound("", "", true), "");  // a server that cannot
  EXPECT_THAT(bound("", "hash", true), HasSubstr("believes that binding was not offered"));
  EXPECT_THAT(bound("hash", ""), HasSubstr("not offered"));
}

TEST(ScramVerifierTest, IsReadAsItWasWritten) {
  const ScramVerifier made = vector_verifier();
  const std::string text = made.text();
  EXPECT_THAT(text, ::testing::StartsWith("SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$"));
  const std::optional<ScramVerifier> read = ScramVerifier::parse(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), text);
  EXPECT_TRUE(read->is_of("pencil"));
  EXPECT_FALSE(read->is_of("pencils"));
}

TEST(ScramVerifierTest, OtherTextsAreNone) {
  const std::string key = base64_of(std::string(32, 'k'));
  const auto is_verifier = [](const std::string& text) {
    return ScramVerifier::parse(text).has_value();
  };
  EXPECT_TRUE(is_verifier("SCRAM-SHA-256$1:QQ==$" + key + ":" + key));
  for (const std::string& text :
       {"SCRAM-SHA-1$1:QQ==$" + key + ":" + key, "SCRAM-SHA-256$0:QQ==$" + key + ":" + key,
        "SCRAM-SHA-256$-1:QQ==$" + key + ":" + key, "SCRAM-SHA-256$1x:QQ==$" + key + ":" + key,
        "SCRAM-SHA-256$1:$" + key + ":" + key, "SCRAM-SHA-256$1:QQ==$" + key,
        "SCRAM-SHA-256$1:QQ==$QQ==:" + key, "SCRAM-SHA-256$1:QQ==$" + key + ":" + key + "x",
        std::string("SCRAM-SHA-256$"), std::string()})
    EXPECT_FALSE(is_verifier(text)) << text;
}

TEST(ScramVerifierTest, MocksLookRealAndStayTheSame) {
  const ScramVerifier one = ScramVerifier::mock("nobody", "key");
  EXPECT_EQ(one.text(), ScramVerifier::mock("nobody", "key").text());
  EXPECT_NE(one.salt, ScramVerifier::mock("somebody", "key").salt);
  EXPECT_NE(one.salt, ScramVerifier::mock("nobody", "other key").salt);
  EXPECT_EQ(one.salt.size(), 16u);
  EXPECT_EQ(one.iterations, kScramIterations);
}

RC_GTEST_PROP(Base64Property, ReadsWhatItWrites, (const std::string& bytes)) {
  RC_ASSERT(bytes_of_base64(base64_of(bytes)) == bytes);
}

RC_GTEST_PROP(Base64Property, NoOtherTextMeansTheSame, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::element('A', 'Q', '/', '+', '=', 'z'));
  const std::optional<std::string> bytes = bytes_of_base64(text);
  if (bytes) RC_ASSERT(base64_of(*bytes) == text);
}

TEST(HashesTest, ComparesInFull) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

}  // namespace
}  // namespace forebay::wire
