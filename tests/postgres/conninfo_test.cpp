#include "forebay/postgres/driver/conninfo.hpp"

#include <cstring>

namespace forebay::postgres {
namespace {

std::string value_of(const KeywordArrays& arrays, std::string_view keyword) {
  for (std::size_t i = 0; arrays.keywords[i] != nullptr; ++i) {
    if (keyword == arrays.keywords[i]) return arrays.values[i];
  }
  return "";
}

TEST(ConnectionStringTest, ReadsUrls) {
  const auto parsed =
      ConnectionString::parse("postgresql://app:s%40cret@db.example:5433/orders?sslmode=require");

  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed->host(), "db.example");
  EXPECT_EQ(parsed->port(), "5433");
  EXPECT_EQ(parsed->database(), "orders");
  EXPECT_EQ(parsed->user(), "app");
  EXPECT_EQ(parsed->get("password"), "s@cret");
  EXPECT_EQ(parsed->get("sslmode"), "require");
}

TEST(ConnectionStringTest, ItsTextIsReadBackWithItsSecrets) {
  auto parsed = ConnectionString::parse("postgresql://app:s%40cret@db.example/orders");
  ASSERT_TRUE(parsed) << parsed.error().text();
  ASSERT_TRUE(parsed->set("password", "it's a \\ \"secret\""));

  const auto again = ConnectionString::parse(parsed->text_with_secrets());

  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->get("password"), "it's a \\ \"secret\"");
  EXPECT_EQ(again->host(), "db.example");
}

TEST(ConnectionStringTest, ReadsKeyValuePairs) {
  const auto parsed = ConnectionString::parse("host=/run/pg port=5432 dbname='two words' user=app");

  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed->host(), "/run/pg");
  EXPECT_EQ(parsed->database(), "two words");
}

TEST(ConnectionStringTest, LeavesWhatIsNotGivenToLibpq) {
  const auto parsed = ConnectionString::parse("");

  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed->host(), "");
  EXPECT_EQ(parsed->redacted(), "");
}

TEST(ConnectionStringTest, KnowsWhichDatabaseLibpqAsksFor) {
  EXPECT_EQ(ConnectionString::parse("user=app dbname=orders")->database_in_force(), "orders");
  ::unsetenv("PGDATABASE");
  EXPECT_EQ(ConnectionString::parse("user=app")->database_in_force(), "app");
  ::setenv("PGDATABASE", "from_environment", 1);
  EXPECT_EQ(ConnectionString::parse("user=app")->database_in_force(), "from_environment");
  ::unsetenv("PGDATABASE");
}

TEST(ConnectionStringTest, RefusesAUrlAsANameOfADatabase) {
  const auto parsed = ConnectionString::parse("dbname=postgresql://app:hunter2@db/orders");

  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().text().find("hunter2"), std::string::npos) << parsed.error().text();
}

TEST(ConnectionStringTest, AcceptsListsOfHosts) {
  const auto parsed = ConnectionString::parse("postgresql://a:1,b:2/db");

  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed->host(), "a,b");
  EXPECT_EQ(parsed->port(), "1,2");
}

TEST(ConnectionStringTest, NamesItselfUnlessTold) {
  const auto plain = ConnectionString::parse("host=a");
  const auto named = ConnectionString::parse("host=a application_name=mine");

  EXPECT_EQ(value_of(plain->arrays(), "fallback_application_name"), "forebay");
  EXPECT_EQ(value_of(named->arrays(), "application_name"), "mine");
}

TEST(ConnectionStringTest, SetOverridesAndAdds) {
  auto parsed = ConnectionString::parse("host=a password=old");

  EXPECT_TRUE(parsed->set("password", "new"));
  EXPECT_TRUE(parsed->set("user", "app"));
  EXPECT_FALSE(parsed->set("no_such_keyword", "x"));
  EXPECT_FALSE(parsed->set("port", "x"));
  EXPECT_FALSE(parsed->set("user", std::string("a\0b", 3)));

  EXPECT_EQ(value_of(parsed->arrays(), "password"), "new");
  EXPECT_EQ(value_of(parsed->arrays(), "user"), "app");
}

TEST(ConnectionStringTest, ArraysEndWithNull) {
  const auto parsed = ConnectionString::parse("host=a");
  const KeywordArrays arrays = parsed->arrays();

  EXPECT_EQ(arrays.keywords.size(), arrays.values.size());
  EXPECT_EQ(arrays.keywords.back(), nullptr);
}

TEST(ConnectionStringTest, RedactsEverySecretAndNothingElse) {
  auto parsed = ConnectionString::parse(
      "host=db user=app password='hunter2 x' sslpassword=keyphrase passfile=/etc/app/.pgpass");

  EXPECT_EQ(parsed->redacted(),
            "user=app password=*** passfile=/etc/app/.pgpass host=db sslpassword=***");
}

TEST(ConnectionStringTest, QuotesValuesThatNeedIt) {
  const auto parsed = ConnectionString::parse("dbname='it\\'s here'");

  EXPECT_EQ(parsed->redacted(), "dbname='it\\'s here'");
}

TEST(ConnectionStringTest, BlotsSecretsOutOfForeignText) {
  const auto parsed = ConnectionString::parse("user=app password=hunter2");
  const auto same = ConnectionString::parse("user=postgres password=postgres");

  EXPECT_EQ(parsed->scrubbed("hunter2 and hunter2 of app"), "*** and *** of app");
  EXPECT_EQ(same->scrubbed("role \"postgres\" does not exist"), "role \"postgres\" does not exist");
}

struct BadInput {
  const char* text;
  const char* explanation;
};

class BadConnectionStringTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadConnectionStringTest, IsExplainedWithoutItsSecret) {
  const auto parsed = ConnectionString::parse(GetParam().text);

  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code(), Errc::invalid);
  EXPECT_NE(parsed.error().text().find(GetParam().explanation), std::string::npos)
      << parsed.error().text();
  EXPECT_EQ(parsed.error().text().find("hunter"), std::string::npos) << parsed.error().text();
}

INSTANTIATE_TEST_SUITE_P(
    All, BadConnectionStringTest,
    ::testing::Values(
        BadInput{"hunter2", "neither a postgresql:// URL nor key=value"},
        BadInput{"mysql://app:hunter2@db", "neither a postgresql:// URL nor key=value"},
        BadInput{"password='hunter2", "does not end"},
        BadInput{"host=a sslmod=hunter2", "did you mean \"sslmode\"?"},
        BadInput{"password=my hunter2=x", "unknown keyword"},
        BadInput{"postgresql://app:hunter2@db/x?sslmoda=1", "did you mean \"sslmode\"?"},
        BadInput{"postgresql://app:hunter%zz@db/x", "percent"},
        BadInput{"postgresql://app:hunter2@db:port/x", "port"},
        BadInput{"host=a port=70000 password=hunter2", "port"}, BadInput{"host=a port=0", "port"},
        BadInput{"host=a port=-1", "port"},
        BadInput{"postgresql://app:hunter@2@db/x", "misplaced \"@\""},
        BadInput{"postgresql://app:12/hunter2@db/x", "misplaced \"@\""},
        BadInput{"postgresql://app:hunter2@[::1/x", "lacks its \"]\""},
        BadInput{"postgresql://app:hunter2@[::1]x/y", "unexpected character"},
        BadInput{"postgresql://app:hunter2@db/x?sslmode", "key=value"}));

TEST(ConnectionStringTest, TheMachinesCertificatesHaveANameSince16) {
  EXPECT_EQ(system_root_certificates(150004), "/etc/ssl/certs/ca-certificates.crt");
  EXPECT_EQ(system_root_certificates(160000), "system");
  EXPECT_GE(libpq_version(), 150000);
}

}  // namespace
}  // namespace forebay::postgres
