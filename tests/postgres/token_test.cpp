// Tokens as passwords, from the source to the wire and back, through libpq and against a server
// that refuses as Aurora DSQL does.
#include <gtest/gtest.h>

#include "forebay/pool/token_source.hpp"
#include "forebay/postgres/postgres_pool.hpp"
#include "postgres/postgres_fixture.hpp"
#include "support/captured_log.hpp"
#include "support/fake_postgres.hpp"

namespace forebay::postgres {
namespace {

using test::FakePostgres;
using test::Refusal;
using Passwords = std::vector<std::string>;

const Refusal kExpired{"28000", "unable to accept connection, access denied",
                       "Signature expired: 20241107T173933Z is now earlier than 20241107T175433Z"};

// "secret-1", and after each rejection the next.
class NumberedTokens final : public TokenSource {
 public:
  Task<Result<std::string>> token(Instant) override {
    co_return "secret-" + std::to_string(number_);
  }
  void reject(const std::string& token) override {
    if (token == "secret-" + std::to_string(number_)) ++number_;
  }

 private:
  int number_ = 1;
};

class TokenTest : public testing::Test {
 protected:
  TokenTest() {
    options_.size.max = 1;
    options_.supply = Supply::reservoir;
  }

  std::unique_ptr<PostgresPool> open(const std::string& url, TokenSource* tokens) {
    PoolSharing sharing;
    sharing.tokens = tokens;
    auto pool = PostgresPool::open(runtime_, url, options_, sharing);
    FOREBAY_CHECK(pool.has_value());
    return std::move(*pool);
  }
  // What a refused pool says when its initial fill is given up; the backoff outlasts it.
  PoolStatistics refused_once(const std::string& url, TokenSource* tokens) {
    options_.initial_fill_limit = 1s;
    options_.initial_failure = InitialFailure::keep_trying;
    options_.backoff = BackoffRule{1h, 1h, 0};
    auto pool = open(url, tokens);
    while (pool->statistics().counters.open_failures() == 0) std::this_thread::yield();
    return pool->statistics();
  }
  static void expect_no_secret(const std::string& text) {
    EXPECT_EQ(text.find("secret-"), std::string::npos) << text;
  }

  const test::CapturedLog log_;
  Runtime runtime_;
  NumberedTokens tokens_;
  PoolOptions options_;
};

TEST_F(TokenTest, AnExpiredTokenIsReplacedByAFreshOne) {
  FakePostgres server([](int number, const std::string&) {
    return number == 1 ? std::optional(kExpired) : std::nullopt;
  });

  const auto pool = open(server.url(), &tokens_);

  EXPECT_TRUE(pool->is_filled());
  EXPECT_EQ(server.passwords(), (Passwords{"secret-1", "secret-2"}));
  EXPECT_EQ(pool->statistics().counters.open_failures(), 0u);
}

TEST_F(TokenTest, OneThatIsRefusedAgainEndsTheAttempt) {
  FakePostgres server([](int, const std::string&) { return kExpired; });

  const PoolStatistics statistics = refused_once(server.url(), &tokens_);

  EXPECT_EQ(server.passwords(), (Passwords{"secret-1", "secret-2"}));
  EXPECT_EQ(statistics.last_open_failure, OpenFailure::connection_open);
  EXPECT_NE(statistics.last_connect_error.find("Signature expired"), std::string::npos);
  EXPECT_NE(statistics.last_connect_error.find("clock of this machine"), std::string::npos);
  expect_no_secret(statistics.last_connect_error);
}

TEST_F(TokenTest, AFixedPasswordIsNotTriedAgain) {
  FakePostgres server([](int, const std::string&) { return kExpired; });

  const PoolStatistics statistics = refused_once(server.url_with("secret-0"), nullptr);

  EXPECT_EQ(server.passwords(), Passwords{"secret-0"});
  EXPECT_NE(statistics.last_connect_error.find("PoolSharing::tokens"), std::string::npos);
  expect_no_secret(statistics.last_connect_error);
}

TEST_F(TokenTest, ATokenComesBeforeTheFixedPassword) {
  FakePostgres server([](int, const std::string&) { return std::nullopt; });

  const auto pool = open(server.url_with("secret-0"), &tokens_);

  EXPECT_EQ(server.passwords(), Passwords{"secret-1"});
}

TEST_F(TokenTest, TheServersWordsDoNotRepeatTheToken) {
  FakePostgres server([](int, const std::string& password) {
    return Refusal{"28000", "no entry for " + password, "is " + password + " right?"};
  });

  const PoolStatistics statistics = refused_once(server.url(), &tokens_);

  EXPECT_NE(statistics.last_connect_error.find("no entry for ***"), std::string::npos);
  expect_no_secret(statistics.last_connect_error);
}

TEST_F(TokenTest, ATokenMayBeLong) {
  FakePostgres server([](int, const std::string&) { return std::nullopt; });
  Client client(runtime_, server.url());
  const std::string token =
      "cluster/?Action=DbConnect&X-Amz-Security-Token=" + std::string(6000, 'x') +
      "&X-Amz-Signature=0' \\";

  Result<std::unique_ptr<LibpqConnection>> connection = client.try_connect(kPatience, token);

  ASSERT_TRUE(connection) << connection.error().text();
  EXPECT_EQ(server.passwords(), Passwords{token});
  client.close(**connection);
}

TEST_F(TokenTest, ATokenWithAZeroByteIsNotSent) {
  Client client(runtime_, "postgresql://127.0.0.1:1/x");

  const auto connection = client.try_connect(kPatience, std::string("se\0cret", 7));

  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().code(), Errc::invalid);
}

struct RefusalCase {
  std::string name;
  Refusal refusal;
  Errc code;
  std::string advice;  // a part of it
};

class RefusalTest : public testing::TestWithParam<RefusalCase> {};

TEST_P(RefusalTest, SaysWhatToDo) {
  const RefusalCase& c = GetParam();
  FakePostgres server([&](int, const std::string&) { return c.refusal; });
  Runtime runtime;
  Client client(runtime, server.url());

  const auto connection = client.try_connect(kPatience, "secret-1");

  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().code(), c.code) << connection.error().text();
  EXPECT_EQ(connection.error().sqlstate(), c.refusal.sqlstate);
  EXPECT_NE(connection.error().text().find(c.refusal.message), std::string::npos);
  EXPECT_NE(connection.error().text().find(c.advice), std::string::npos)
      << connection.error().text();
}

INSTANTIATE_TEST_SUITE_P(
    Dsql, RefusalTest,
    testing::Values(
        RefusalCase{"expired", kExpired, Errc::token_expired, ""},
        RefusalCase{"expired_reported_as_lost",
                    {"08006", kExpired.message, kExpired.hint},
                    Errc::token_expired,
                    ""},
        RefusalCase{"expired_in_capitals",
                    {"28000", "UNABLE TO ACCEPT CONNECTION, ACCESS DENIED", "SIGNATURE EXPIRED: x"},
                    Errc::token_expired,
                    ""},
        RefusalCase{"denied", {"28000", kExpired.message, ""}, Errc::refused, "dsql:DbConnect"},
        RefusalCase{"clock_ahead",
                    {"28000", kExpired.message, "Signature not yet current: x"},
                    Errc::refused,
                    "clock of this machine is ahead"},
        RefusalCase{"iam",
                    {"28000", "IAM authentication failed for user \"admin\"", ""},
                    Errc::refused,
                    "renew the credentials"},
        RefusalCase{"mapping",
                    {"28000", "Wrong user to action mapping. user: admin, action: DbConnect", ""},
                    Errc::refused,
                    "DbConnectAdmin"},
        RefusalCase{"sni",
                    {"08006", "unable to accept connection, sni was not received", ""},
                    Errc::refused,
                    "host name"},
        RefusalCase{
            "asleep",
            {"08006", "unable to accept connection, waking up cluster, please retry later", ""},
            Errc::connect_failed,
            "tried again"},
        RefusalCase{"rate",
                    {"53400", "Unable to accept connection, rate exceeded.", ""},
                    Errc::rate_reached,
                    "share one rate"},
        RefusalCase{"full",
                    {"53300", "Unable to accept connection, too many open connections.", ""},
                    Errc::limit_reached,
                    "share one limit"}),
    [](const auto& test_case) { return test_case.param.name; });

}  // namespace
}  // namespace forebay::postgres
