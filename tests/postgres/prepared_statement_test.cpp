// Prepared statements: prepared at the first use on a connection, and remembered by it.
#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

const PreparedStatement kAddOne("add_one", "SELECT $1::int + 1");

class PreparedStatementTest : public SessionTest {
 protected:
  Result<int> add_one(int number) {
    return connection_->query_one_blocking<int>(kAddOne, parameters(number), kPatience);
  }
  // Without what was prepared because it came again, as this question does.
  std::string prepared_names() {
    return ask(
        "SELECT string_agg(name, ',') FROM pg_prepared_statements WHERE statement LIKE 'SELECT "
        "$1%'");
  }
  std::string prepared_at() {
    return ask("SELECT prepare_time FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1%'");
  }
};

TEST_F(PreparedStatementTest, IsPreparedOnceAndUsedInBothForms) {
  EXPECT_EQ(prepared_names(), "null");
  EXPECT_EQ(add_one(1).value(), 2);
  const std::string first_time = prepared_at();

  EXPECT_EQ(run(connection_->query_one<int>(kAddOne, parameters(41), soon())).value(), 42);
  EXPECT_EQ(first_value(run(connection_->exec(kAddOne, parameters(7), soon()))), "8");
  EXPECT_EQ(first_value(connection_->exec_blocking(kAddOne, parameters(8), kPatience)), "9");

  EXPECT_EQ(prepared_names(), "forebay_1_add_one");
  EXPECT_EQ(prepared_at(), first_time);
}

TEST_F(PreparedStatementTest, IsThereForTheNextUser) {
  ASSERT_TRUE(add_one(1));
  const std::string first_time = prepared_at();
  run("SET work_mem = '123kB'");
  ASSERT_TRUE(client_.reset(*connection_));

  EXPECT_EQ(add_one(2).value(), 3);
  EXPECT_EQ(prepared_at(), first_time);
}

TEST_F(PreparedStatementTest, IsGoneAfterAResetThatDropsEverythingAndPreparedAgain) {
  ASSERT_TRUE(add_one(1));
  connection_->native();
  ASSERT_TRUE(client_.reset(*connection_));
  EXPECT_EQ(prepared_names(), "null");

  EXPECT_EQ(add_one(2).value(), 3);
  EXPECT_NE(prepared_names(), "null");
}

TEST_F(PreparedStatementTest, IsGoneAfterSuchAResetOfTheDsqlProfileToo) {
  ServerProfile profile = ServerProfile::dsql();
  profile.requires_tls = false;
  Client dsql(runtime_, app_url(), nullptr, profile);
  connection_ = dsql.connect();
  ASSERT_TRUE(add_one(1));

  connection_->native();
  ASSERT_TRUE(client_.reset(*connection_));

  EXPECT_EQ(prepared_names(), "null");
  EXPECT_EQ(add_one(2).value(), 3);
  connection_.reset();
}

TEST_F(PreparedStatementTest, WithTheNameOfAnotherIsAnother) {
  ASSERT_TRUE(add_one(1));
  const PreparedStatement other("add_one", "SELECT $1::int + 2");

  EXPECT_EQ(first_value(connection_->exec_blocking(other, parameters(1), kPatience)), "3");
  EXPECT_EQ(add_one(1).value(), 2);
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
  EXPECT_EQ(prepared_names(), "forebay_1_add_one");
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

TEST_F(PreparedStatementTest, MayHaveAnyNameThatCanBeSent) {
  const PreparedStatement nameless("", "SELECT 1");
  const PreparedStatement long_name(std::string(64, 'x'), "SELECT 2");
  const PreparedStatement strange("a \"b'; --", "SELECT 3");
  const PreparedStatement cut(std::string("a\0b", 3), "SELECT 4");

  EXPECT_EQ(first_value(connection_->exec_blocking(nameless, kPatience)), "1");
  EXPECT_EQ(first_value(connection_->exec_blocking(long_name, kPatience)), "2");
  EXPECT_EQ(first_value(connection_->exec_blocking(strange, kPatience)), "3");
  EXPECT_EQ(error_of(connection_->exec_blocking(cut, kPatience)).code(), Errc::invalid);
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
