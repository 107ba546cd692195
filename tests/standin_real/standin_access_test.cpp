// Who is let in, who is not, and what they hear.
#include "standin_real/standin_fixture.hpp"

namespace forebay::standin {
namespace {

class StandinAccessTest : public StandinTest {};

constexpr const char* kDenied = "FATAL:  unable to accept connection, access denied";

TEST_F(StandinAccessTest, ATokenOfOursLetsTheAdminInOverVerifiedTls) {
  open();
  Client client = connect();
  ASSERT_TRUE(client.is_connected()) << client.problem();
  EXPECT_EQ(client.query("SELECT current_user"), "admin");
  EXPECT_EQ(client.execute("SELECT current_database()"), "postgres");
  EXPECT_EQ(client.query("SHOW transaction_isolation"), "repeatable read");
  EXPECT_EQ(client.query("SHOW TimeZone"), "UTC");
  EXPECT_EQ(client.query("SELECT 1/0"), "22012 division by zero");
  EXPECT_STREQ(PQparameterStatus(client.get(), "client_encoding"), "UTF8");
  // The second is greeted before it has a session on PostgreSQL.
  Client second = connect("application_name=shop");
  ASSERT_TRUE(second.is_connected()) << second.problem();
  EXPECT_STREQ(PQparameterStatus(second.get(), "application_name"), "shop");
  EXPECT_EQ(second.query("SHOW application_name"), "shop");
  EXPECT_EQ(second.query("SELECT current_user"), "admin");
}

TEST_F(StandinAccessTest, ATokenForSomethingElseDoesNot) {
  open();
  const auto problem = [this](const std::string& password) {
    const Client client(conninfo(password));
    return client.is_connected() ? "connected" : client.problem();
  };
  EXPECT_EQ(problem("guess"), kDenied);
  EXPECT_EQ(problem(token("admin", "other.dsql.us-east-1.on.aws")), kDenied);
  EXPECT_EQ(problem(token("admin", kHost, "eu-west-1")), kDenied);
  EXPECT_EQ(problem(token("admin", kHost, "us-east-1", "another secret")), kDenied);
  EXPECT_EQ(problem(token("app")),
            std::string(kDenied) +
                "\nHINT:  Wrong user to action mapping. user: admin, action: DbConnect");
  const std::string expired =
      problem(token("admin", kHost, "us-east-1", cli::kStandinSecret, 20min));
  EXPECT_TRUE(expired.starts_with(std::string(kDenied) + "\nHINT:  Signature expired: "))
      << expired;
}

TEST_F(StandinAccessTest, OtherRolesNeedAnotherTokenAndMustExist) {
  open();
  Client admin = connect();
  ASSERT_EQ(admin.query("CREATE ROLE teller WITH LOGIN"), "CREATE ROLE");
  Client teller(conninfo(token("teller"), "teller"));
  ASSERT_TRUE(teller.is_connected()) << teller.problem();
  EXPECT_EQ(teller.query("SELECT current_user"), "teller");
  const Client wrong(conninfo(token("admin"), "teller"));
  EXPECT_EQ(wrong.problem(),
            std::string(kDenied) +
                "\nHINT:  Wrong user to action mapping. user: teller, action: DbConnectAdmin");
  const Client nobody(conninfo(token("nobody"), "nobody"));
  EXPECT_EQ(nobody.problem(), kDenied);
  EXPECT_EQ(admin.query("DROP ROLE teller"), "DROP ROLE");
}

// One key is the application's, and may be what it is granted; the one that is nobody's may be all.
TEST_F(StandinAccessTest, WhoIsSomebodyMayBeWhatAwsIamGrantSays) {
  constexpr const char* kArn = "arn:aws:iam::123456789012:role/app";
  open([](cli::StandinSettings& settings) {
    settings.options.realm.keys.emplace_back("AKIAAPP", "app secret");
    settings.options.realm.arns["AKIAAPP"] = kArn;
  });
  const auto problem = [this](const std::string& role) {
    const WallTime now(std::chrono::system_clock::now().time_since_epoch());
    const Client client(conninfo(
        aws::sign_dsql_token({kHost, "us-east-1", role}, {"AKIAAPP", "app secret"}, now), role));
    return client.is_connected() ? "" : client.problem();
  };
  Client admin = connect();
  ASSERT_EQ(admin.query("CREATE ROLE app WITH LOGIN"), "CREATE ROLE");
  ASSERT_EQ(admin.query("CREATE ROLE other WITH LOGIN"), "CREATE ROLE");
  EXPECT_EQ(problem("app"), kDenied);

  ASSERT_EQ(admin.query(fmt::format("AWS IAM GRANT app TO '{}'", kArn)), "AWS IAM GRANT");
  EXPECT_EQ(problem("app"), "");
  EXPECT_EQ(problem("other"), kDenied);
  EXPECT_EQ(problem("admin"), kDenied);
  EXPECT_TRUE(Client(conninfo(token("other"), "other")).is_connected());

  ASSERT_EQ(admin.query(fmt::format("AWS IAM REVOKE app FROM '{}'", kArn)), "AWS IAM REVOKE");
  EXPECT_EQ(problem("app"), kDenied);
  EXPECT_EQ(admin.query("DROP ROLE app"), "DROP ROLE");
  EXPECT_EQ(admin.query("DROP ROLE other"), "DROP ROLE");
}

TEST_F(StandinAccessTest, TheNameIsNeededAndMustBeOurs) {
  open([](cli::StandinSettings& settings) { settings.options.names.emplace_back("db.test"); });
  const Client nameless(conninfo(token(), "admin", "sslsni=0"));
  EXPECT_EQ(nameless.problem(), "FATAL:  unable to accept connection, sni was not received");
  // Its DSQL-like name leads here, with a token for that name.
  const std::string cluster = "forebaystandin000000000000.dsql.us-east-1.on.aws";
  Client named(
      conninfo(token("admin", cluster), "admin", "host=" + cluster + " hostaddr=127.0.0.1"));
  EXPECT_TRUE(named.is_connected()) << named.problem();
  const Client mixed(conninfo(token(), "admin", "host=db.test hostaddr=127.0.0.1"));
  EXPECT_EQ(mixed.problem(), kDenied);
  const Client stranger(conninfo(token("admin", "x.test"), "admin",
                                 "host=x.test hostaddr=127.0.0.1 sslmode=require sslrootcert=''"));
  EXPECT_EQ(stranger.problem(), kDenied);
  const Client in_clear(conninfo(token(), "admin", "sslmode=disable"));
  EXPECT_TRUE(
      in_clear.problem().starts_with("FATAL:  unable to accept connection, TLS is required"));
}

TEST_F(StandinAccessTest, OnlyOneDatabaseAndOnlyAllowedSettings) {
  open();
  EXPECT_EQ(Client(conninfo(token(), "admin", "dbname=shop")).problem(),
            "FATAL:  database \"shop\" does not exist");
  EXPECT_EQ(Client(conninfo(token(), "admin", "options='-c statement_timeout=5s'")).problem(),
            "FATAL:  setting configuration parameter \"statement_timeout\" not supported");
  Client allowed(
      conninfo(token(), "admin", "options='-c search_path=pg_catalog -c TimeZone=Asia/Tokyo'"));
  ASSERT_TRUE(allowed.is_connected()) << allowed.problem();
  EXPECT_EQ(allowed.query("SHOW search_path"), "pg_catalog");
  EXPECT_STREQ(PQparameterStatus(allowed.get(), "TimeZone"), "Asia/Tokyo");
}

}  // namespace
}  // namespace forebay::standin
