// Prepared statements: prepared at the first use, remembered until the session is cleared.
#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

const PreparedStatement kAddOne("add_one", "SELECT $1::int + 1");

class PreparedStatementTest : public SessionTest {
 protected:
  Result<int> add_one(int number) {
    return connection_->query_one_blocking<int>(kAddOne, parameters(number), kPatience);
  }
  // Asked without a parameter, so that the question is not itself prepared.
  std::string prepared_names() {
    return ask("SELECT string_agg(name, ',') FROM pg_prepared_statements");
  }
};

TEST_F(PreparedStatementTest, IsPreparedOnceAndUsedInBothForms) {
  EXPECT_EQ(prepared_names(), "null");
  EXPECT_EQ(add_one(1).value(), 2);
  const std::string prepared_at = ask("SELECT prepare_time FROM pg_prepared_statements");

  EXPECT_EQ(run(connection_->query_one<int>(kAddOne, parameters(41), soon())).value(), 42);
  EXPECT_EQ(first_value(run(connection_->exec(kAddOne, parameters(7), soon()))), "8");
  EXPECT_EQ(first_value(connection_->exec_blocking(kAddOne, parameters(8), kPatience)), "9");

  EXPECT_EQ(prepared_names(), "add_one");
  EXPECT_EQ(ask("SELECT prepare_time FROM pg_prepared_statements"), prepared_at);
}

TEST_F(PreparedStatementTest, IsGoneAfterAResetAndPreparedAgain) {
  ASSERT_TRUE(add_one(1));
  ASSERT_TRUE(client_.reset(*connection_));
  EXPECT_EQ(prepared_names(), "null");

  EXPECT_EQ(add_one(2).value(), 3);
  EXPECT_EQ(prepared_names(), "add_one");
}

TEST_F(PreparedStatementTest, IsGoneAfterAResetOfTheDsqlProfileToo) {
  ServerProfile profile = ServerProfile::dsql();
  profile.requires_tls = false;
  Client dsql(runtime_, app_url(), nullptr, profile);
  connection_ = dsql.connect();
  ASSERT_TRUE(add_one(1));

  ASSERT_TRUE(client_.reset(*connection_));

  EXPECT_EQ(prepared_names(), "null");
  EXPECT_EQ(add_one(2).value(), 3);
  connection_.reset();
}

TEST_F(PreparedStatementTest, WithTheNameOfAnotherIsRefused) {
  ASSERT_TRUE(add_one(1));
  const PreparedStatement other("add_one", "SELECT $1::int + 2");

  const auto refused = connection_->exec_blocking(other, parameters(1), kPatience);

  EXPECT_EQ(error_of(refused).code(), Errc::invalid);
  EXPECT_EQ(error_of(refused).text(),
            "this connection has prepared \"add_one\" with another SQL: give the two statements "
            "different names");
  EXPECT_EQ(add_one(1).value(), 2);
  ASSERT_TRUE(client_.reset(*connection_));
  EXPECT_EQ(first_value(connection_->exec_blocking(other, parameters(1), kPatience)), "3");
}

TEST_F(PreparedStatementTest, ThatTheServerHasLostIsPreparedAgain) {
  ASSERT_TRUE(add_one(1));
  run("DEALLOCATE ALL");

  EXPECT_EQ(add_one(2).value(), 3);
}

TEST_F(PreparedStatementTest, ThatIsLostInATransactionWorksAfterIt) {
  ASSERT_TRUE(add_one(1));
  run("BEGIN");
  run("DEALLOCATE ALL");

  EXPECT_EQ(error_of(add_one(2)).sqlstate(), "26000");
  run("ROLLBACK");
  EXPECT_EQ(add_one(2).value(), 3);
}

TEST_F(PreparedStatementTest, SurvivesTheTransactionThatMadeIt) {
  run("BEGIN");
  ASSERT_TRUE(add_one(1));
  run("ROLLBACK");

  EXPECT_EQ(add_one(2).value(), 3);
  EXPECT_EQ(prepared_names(), "add_one");
}

TEST_F(PreparedStatementTest, ThatTheServerRefusesIsNotRemembered) {
  const PreparedStatement early("early", "SELECT count(*) FROM late");

  for (int round = 0; round < 2; ++round) {
    const auto refused = connection_->exec_blocking(early, kPatience);
    EXPECT_EQ(error_of(refused).sqlstate(), "42P01");
  }
  run("CREATE TEMP TABLE late (n int)");
  EXPECT_EQ(first_value(connection_->exec_blocking(early, kPatience)), "0");
}

TEST_F(PreparedStatementTest, NeedsANameThatTheServerCanTellFromOthers) {
  const PreparedStatement nameless("", "SELECT 1");
  const PreparedStatement long_name(std::string(64, 'x'), "SELECT 1");
  const PreparedStatement cut(std::string("a\0b", 3), "SELECT 1");
  const PreparedStatement longest(std::string(63, 'x'), "SELECT 1");

  for (const PreparedStatement* wrong : {&nameless, &long_name, &cut}) {
    EXPECT_EQ(error_of(connection_->exec_blocking(*wrong, kPatience)).code(), Errc::invalid);
  }
  EXPECT_EQ(first_value(connection_->exec_blocking(longest, kPatience)), "1");
}

TEST_F(PreparedStatementTest, EndsAtItsDeadline) {
  const PreparedStatement wait("wait", kWaitForLock);
  auto holder = hold_lock();

  const auto late = run(connection_->exec(wait, client_.in(50ms)));
  EXPECT_EQ(error_of(late).code(), Errc::timed_out);
  EXPECT_FALSE(connection_->is_usable());

  holder.reset();  // or the session that waits would not end
  connection_ = client_.connect();
  holder = hold_lock();
  const auto blocked = connection_->exec_blocking(wait, 50ms);
  EXPECT_EQ(error_of(blocked).code(), Errc::timed_out);
  EXPECT_FALSE(connection_->is_usable());
}

}  // namespace
}  // namespace forebay::postgres
