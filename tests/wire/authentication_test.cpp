// Both sides of authentication: each method to its end, and every way to break the order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "forebay/wire/auth/client_authentication.hpp"
#include "forebay/wire/auth/server_authentication.hpp"
#include "support/wire_frames.hpp"

namespace forebay::wire {
namespace {

using ::testing::HasSubstr;
using Method = AuthenticationMethod;
using SecretKind = StoredSecret::Kind;

std::string stored(SecretKind kind, const std::string& password) {
  if (kind == SecretKind::md5) return *md5_secret(password, "app");
  if (kind == SecretKind::scram) return ScramVerifier::of(password, "salty salt", 10).text();
  return password;
}

ServerAuthentication server_of(Method method, StoredSecret secret) {
  ServerAuthenticationOptions options(method, "app", std::move(secret));
  options.nonce = "server";
  options.mock_key = "a key";
  options.md5_salt = {1, 0, 2, 0};
  return ServerAuthentication(options);
}

ClientCredentials credentials_of(const std::string& password) {
  ScramClientOptions scram("client");
  scram.password = password;
  return {"app", scram};
}

std::vector<test::WireMessage> messages_of(const std::string& bytes, Sender sender) {
  FrameReader reader(FrameOptions{.sender = sender});
  reader.expect_messages();
  const test::WireMessages read = test::read_messages(reader, bytes, {});
  FOREBAY_CHECK(!read.is_broken && !read.is_open);
  return read.all;
}

// Lets both talk to the end, and says how that went.
struct Talk {
  explicit Talk(ServerAuthentication server, ClientCredentials credentials)
      : client(std::move(credentials)) {
    std::string out;
    ServerAuthentication::Step step = server.begin(out);
    while (take(out) && step == ServerAuthentication::Step::waiting) {
      const std::string answer = std::exchange(from_client, {});
      out.clear();
      for (const test::WireMessage& message : messages_of(answer, Sender::client)) {
        EXPECT_EQ(message.type, 'p');
        step = server.receive(message.body, out);
      }
    }
    is_accepted_by_server = step == ServerAuthentication::Step::accepted;
    reason = server.reason();
    keys = server.client_keys();
  }

  // What the server said. False: the talk is over.
  bool take(const std::string& bytes) {
    for (const test::WireMessage& message : messages_of(bytes, Sender::server)) {
      steps += message.type;
      if (message.type == 'E') {
        error = message.body;
        return false;
      }
      const Result<ClientAuthentication::Step> step = client.receive(message.body, from_client);
      if (!step) problem = step.error().text();
      if (!step) return false;
      is_accepted_by_client = *step == ClientAuthentication::Step::accepted;
    }
    return !is_accepted_by_client;
  }
  std::string sqlstate() const {
    const Result<ErrorFields> fields = parse_error_fields(error);
    return fields ? std::string(fields->sqlstate()) : "";
  }
  std::string message() const {
    const Result<ErrorFields> fields = parse_error_fields(error);
    return fields ? std::string(fields->message()) : "";
  }

  ClientAuthentication client;
  std::string from_client;
  std::string steps;    // types of the server's messages
  std::string error;    // the server's
  std::string problem;  // the client's
  std::string reason;   // what the server would log
  std::optional<SaltedKeys> keys;
  bool is_accepted_by_client = false;
  bool is_accepted_by_server = false;
};

Talk talk(Method method, StoredSecret secret, const std::string& password) {
  return Talk(server_of(method, std::move(secret)), credentials_of(password));
}

RC_GTEST_PROP(AuthenticationProperty, TheRightPasswordAndNoOtherGetsIn, ()) {
  const auto text = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::nonZero<char>()));
  const std::string right = *text;
  const std::string tried = *rc::gen::oneOf(text, rc::gen::just(right));
  const Method method = *rc::gen::element(Method::cleartext, Method::md5, Method::scram);
  const SecretKind kind =
      method == Method::scram
          ? SecretKind::scram
          : *rc::gen::element(SecretKind::plain, SecretKind::md5, SecretKind::scram);
  const Talk told = talk(method, StoredSecret::parse(stored(kind, right)), tried);
  RC_ASSERT(told.is_accepted_by_server == (right == tried));
  RC_ASSERT(told.is_accepted_by_client == (right == tried));
  if (right != tried) RC_ASSERT(told.sqlstate() == "28P01");
}

TEST(AuthenticationTest, TrustAsksNothing) {
  const Talk told = talk(Method::trust, StoredSecret::parse(""), "");
  EXPECT_TRUE(told.is_accepted_by_client);
  EXPECT_EQ(told.steps, "R");
}

TEST(AuthenticationTest, AVerifierMeansScramWhereMd5IsAsked) {
  const Talk told = talk(Method::md5, StoredSecret::parse(stored(SecretKind::scram, "x")), "x");
  EXPECT_TRUE(told.is_accepted_by_server);
  EXPECT_EQ(told.steps, "RRRR");
  EXPECT_TRUE(told.keys);
  EXPECT_TRUE(told.client.derived_keys());
}

TEST(AuthenticationTest, AUserWhoDoesNotExistHearsWhatAnybodyHears) {
  for (const auto& [method, kind] :
       {std::pair(Method::cleartext, SecretKind::plain),
        std::pair(Method::cleartext, SecretKind::scram), std::pair(Method::md5, SecretKind::md5),
        std::pair(Method::scram, SecretKind::scram)}) {
    const Talk wrong = talk(method, StoredSecret::parse(stored(kind, "right")), "wrong");
    const Talk nobody = talk(method, StoredSecret::mock(kind, "app", "a key"), "wrong");
    EXPECT_FALSE(nobody.is_accepted_by_server);
    EXPECT_EQ(nobody.steps, wrong.steps);
    EXPECT_EQ(nobody.error, wrong.error);
    EXPECT_EQ(nobody.message(), "password authentication failed for user \"app\"");
    EXPECT_EQ(nobody.reason, "there is no such user");
    EXPECT_EQ(wrong.reason, "the password is wrong");
  }
}

TEST(AuthenticationTest, ASecretOfAnotherFormIsNotToldApart) {
  const Talk told = talk(Method::scram, StoredSecret::parse("plain"), "plain");
  EXPECT_FALSE(told.is_accepted_by_server);
  EXPECT_EQ(told.steps, "RRE");
  EXPECT_EQ(told.sqlstate(), "28P01");
  EXPECT_EQ(told.reason, "its secret is no SCRAM verifier");
  EXPECT_EQ(told.client.derived_keys()->salt, ScramVerifier::mock("app", "a key").salt);
}

TEST(AuthenticationTest, EvenThePasswordOfAMockIsWrong) {
  const StoredSecret mock = StoredSecret::mock(SecretKind::md5, "app", "a key");
  EXPECT_FALSE(mock.is_of("", "app"));
  const StoredSecret plain = StoredSecret::mock(SecretKind::plain, "app", "a key");
  EXPECT_TRUE(plain.is_mock());
  EXPECT_EQ(plain.kind(), SecretKind::plain);
}

TEST(AuthenticationTest, AnEmptyPasswordIsNone) {
  ServerAuthentication server = server_of(Method::cleartext, StoredSecret::parse(""));
  std::string out;
  ASSERT_EQ(server.begin(out), ServerAuthentication::Step::waiting);
  EXPECT_EQ(server.receive({"\0", 1}, out), ServerAuthentication::Step::refused);
  EXPECT_THAT(talk(Method::cleartext, StoredSecret::parse("x"), "").problem,
              HasSubstr("there is none"));
}

TEST(AuthenticationTest, MalformedAnswersAreViolations) {
  for (const Method method : {Method::cleartext, Method::scram}) {
    ServerAuthentication server =
        server_of(method, StoredSecret::parse(stored(SecretKind::scram, "x")));
    std::string out;
    server.begin(out);
    out.clear();
    EXPECT_EQ(server.receive("no zero byte", out), ServerAuthentication::Step::refused);
    EXPECT_EQ(parse_error_fields(std::string_view(out).substr(5))->sqlstate(), "08P01");
    EXPECT_EQ(parse_error_fields(std::string_view(out).substr(5))->severity(), "FATAL");
  }
}

TEST(AuthenticationTest, ClientsAnswerOnlyWhatTheyAllow) {
  const auto refusal = [](Method method, SecretKind kind, AllowedMethods allowed) {
    ClientCredentials credentials = credentials_of("x");
    credentials.allowed = allowed;
    return Talk(server_of(method, StoredSecret::parse(stored(kind, "x"))), credentials).problem;
  };
  EXPECT_THAT(refusal(Method::trust, SecretKind::plain, {.trust = false}),
              HasSubstr("not allowed"));
  EXPECT_THAT(refusal(Method::cleartext, SecretKind::plain, {.cleartext = false}),
              HasSubstr("the password in clear text, which is not allowed"));
  EXPECT_THAT(refusal(Method::md5, SecretKind::md5, {.md5 = false}), HasSubstr("MD5"));
  EXPECT_THAT(refusal(Method::scram, SecretKind::scram, {.scram = false}), HasSubstr("SCRAM"));
  EXPECT_EQ(refusal(Method::scram, SecretKind::scram, {.trust = false}), "");
}

// The bodies of what a server might send, each in turn.
TEST(AuthenticationTest, ClientsKeepTheOrder) {
  const std::string ok("\0\0\0\0", 4);
  const std::string cleartext("\0\0\0\3", 4);
  const std::string sasl("\0\0\0\x0aSCRAM-SHA-256\0\0", 19);
  const std::string go_on = std::string("\0\0\0\x0b", 4) + "r=clientserver,s=QQ==,i=1";
  const auto last_problem = [](const std::vector<std::string>& bodies) {
    ClientAuthentication client(credentials_of("x"));
    std::string out;
    std::string problem;
    for (const std::string& body : bodies) {
      const auto step = client.receive(body, out);
      problem = step ? "" : step.error().text();
    }
    return problem;
  };
  EXPECT_EQ(last_problem({ok}), "");
  EXPECT_EQ(last_problem({cleartext, ok}), "");
  EXPECT_EQ(last_problem({sasl, go_on}), "");
  EXPECT_THAT(last_problem({sasl, ok}), HasSubstr("before it has shown"));
  EXPECT_THAT(last_problem({sasl, go_on, ok}), HasSubstr("before it has shown"));
  EXPECT_THAT(last_problem({sasl, go_on, go_on}), HasSubstr("out of turn"));
  EXPECT_THAT(last_problem({sasl, cleartext}), HasSubstr("out of turn"));
  EXPECT_THAT(last_problem({sasl, cleartext, ok}), HasSubstr("before it has shown"));
  EXPECT_THAT(last_problem({cleartext, cleartext}), HasSubstr("out of turn"));
  EXPECT_THAT(last_problem({go_on}), HasSubstr("out of turn"));
  EXPECT_THAT(last_problem({ok, ok}), HasSubstr("before it has shown"));
  EXPECT_THAT(last_problem({std::string("\0\0\0\7", 4)}), HasSubstr("of type 7"));
  EXPECT_THAT(last_problem({std::string("\0\0\0\x0aOTHER\0\0", 11)}),
              HasSubstr("does not offer SCRAM-SHA-256, but OTHER"));
}

TEST(StoredSecretTest, KnowsTheFormsOfPostgres) {
  EXPECT_EQ(*md5_secret("hunter2", "app"), "md5ae683e9e3a46c249efd75afd69dd69d3");
  EXPECT_EQ(StoredSecret::parse(stored(SecretKind::scram, "x")).kind(), SecretKind::scram);
  EXPECT_EQ(StoredSecret::parse("md5" + std::string(32, 'a')).kind(), SecretKind::md5);
  EXPECT_EQ(StoredSecret::parse("md5" + std::string(32, 'x')).kind(), SecretKind::plain);
  EXPECT_EQ(StoredSecret::parse("md5").kind(), SecretKind::plain);
  EXPECT_EQ(StoredSecret::parse("SCRAM-SHA-256$broken").kind(), SecretKind::plain);
}

RC_GTEST_PROP(AuthenticationProperty, GarbageNeverGetsIn,
              (const std::vector<std::string>& bodies)) {
  const Method method = *rc::gen::element(Method::cleartext, Method::md5, Method::scram);
  ServerAuthentication server =
      server_of(method, StoredSecret::parse(stored(SecretKind::scram, "pass")));
  std::string out;
  ServerAuthentication::Step step = server.begin(out);
  for (const std::string& body : bodies) {
    if (step != ServerAuthentication::Step::waiting) break;
    step = server.receive(body, out);
  }
  RC_ASSERT(step != ServerAuthentication::Step::accepted);
}

}  // namespace
}  // namespace forebay::wire
