#include "forebay/postgres/driver/server_profile.hpp"

namespace forebay::postgres {
namespace {

using std::chrono::minutes;
using wire::Leftover;
using Messages = std::vector<std::string>;

TEST(ServerProfileTest, PostgresqlResetsWithQueriesOfTheirOwn) {
  const ServerProfile profile = ServerProfile::postgresql();

  EXPECT_EQ(profile.reset_messages({Leftover::everything}, false), (Messages{"DISCARD ALL"}));
  EXPECT_EQ(profile.reset_messages({Leftover::everything}, true),
            (Messages{"ROLLBACK", "DISCARD ALL"}));
}

TEST(ServerProfileTest, PostgresqlClearsWhatIsThereInOneRoundTrip) {
  ServerProfile profile = ServerProfile::postgresql();
  profile.session_statement = "SELECT 'again'";

  EXPECT_EQ(profile.reset_messages({}, false), Messages());
  EXPECT_EQ(profile.reset_messages({}, true), (Messages{"ROLLBACK"}));
  EXPECT_EQ(profile.reset_messages({Leftover::channels, Leftover::temporary}, true),
            (Messages{"ROLLBACK; UNLISTEN *; DISCARD TEMP"}));
  EXPECT_EQ(profile.reset_messages({Leftover::settings}, false),
            (Messages{"SET SESSION AUTHORIZATION DEFAULT; RESET ALL", "SELECT 'again'"}));
}

TEST(ServerProfileTest, DsqlResetsInOneRoundTrip) {
  const ServerProfile profile = ServerProfile::dsql();

  EXPECT_EQ(profile.reset_messages({Leftover::everything}, false),
            (Messages{"RESET ALL; DEALLOCATE ALL"}));
  EXPECT_EQ(profile.reset_messages({Leftover::everything}, true),
            (Messages{"ROLLBACK; RESET ALL; DEALLOCATE ALL"}));
  EXPECT_EQ(profile.reset_messages({Leftover::settings, Leftover::locks}, false),
            (Messages{"RESET ALL"}));
}

TEST(ServerProfileTest, OnlyDsqlRationsConnections) {
  const ServerProfile postgresql = ServerProfile::postgresql();
  const ServerProfile dsql = ServerProfile::dsql();

  EXPECT_FALSE(postgresql.session_limit || postgresql.connect_rate || postgresql.connection_limit);
  EXPECT_FALSE(postgresql.transaction_limit || postgresql.requires_tls);
  EXPECT_EQ(dsql.session_limit, minutes(60));
  EXPECT_EQ(dsql.transaction_limit, minutes(5));
  EXPECT_EQ(dsql.connect_rate->per_second, 100);
  EXPECT_EQ(dsql.connect_rate->burst, 1000u);
  EXPECT_EQ(dsql.connection_limit, 10'000u);
  EXPECT_TRUE(dsql.requires_tls);
}

TEST(ServerProfileTest, DsqlIsKnownByItsHostName) {
  for (const char* host : {"abc123.dsql.us-east-1.on.aws", "abc123.dsql-x1.eu-west-1.on.aws",
                           "ABC123.DSQL.us-east-1.ON.AWS", "abc123.dsql.us-east-1.on.aws."}) {
    EXPECT_EQ(ServerProfile::for_host(host).kind, ServerKind::dsql) << host;
  }
  for (const char* host : {"", "localhost", "db.example", "dsql.example", "x.rds.us-east-1.on.aws",
                           "abc.dsql.us-east-1.on.aws.example", "abc.dsql.on.aws",
                           "abc.dsql.db.us-east-1.on.aws", "abc.dsql.us_east_1.on.aws"}) {
    EXPECT_EQ(ServerProfile::for_host(host).kind, ServerKind::postgresql) << host;
  }
}

}  // namespace
}  // namespace forebay::postgres
