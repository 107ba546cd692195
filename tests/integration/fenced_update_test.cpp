// Fenced updates on a real server, in and out of transactions.
#include "integration/transaction_fixture.hpp"

namespace forebay::test {
namespace {

using postgres::AffectedRows;
using postgres::Fence;
using postgres::FencedUpdate;
using postgres::StatementScope;

// The table's names need their quotes.
class FencedUpdateTest : public TransactionFixture {
 protected:
  void SetUp() override {
    TransactionFixture::SetUp();
    ASSERT_TRUE(ask(R"(CREATE TABLE "Shards ""1""" (shard_id int, zone text, "range id" bigint, )"
                    R"(owner text, PRIMARY KEY (shard_id, zone)))")
                    .has_value());
    ASSERT_TRUE(ask(R"(GRANT ALL ON "Shards ""1""" TO app)").has_value());
    ASSERT_TRUE(ask(R"(INSERT INTO "Shards ""1""" VALUES (7, 'a', 41, 'me'), (7, 'b', 41, 'me'), )"
                    R"((8, 'a', NULL, 'me'))")
                    .has_value());
    pool = open_pool(of_size(2));
  }
  static FencedUpdate shard(std::string id = "7", std::string zone = "a") {
    FencedUpdate update("shard", "Shards \"1\"", "range id");
    update.schema = "public";
    update.key = {{"shard_id", std::move(id)}, {"zone", std::move(zone)}};
    update.next_token = "42";
    update.values = {{"owner", "you"}};
    return update;
  }
  std::string row() {
    const auto result = ask(R"(SELECT "range id" || ' ' || owner FROM "Shards ""1""" WHERE )"
                            R"(shard_id = 7 AND zone = 'a')");
    return result ? std::string(result->value(0, 0).value_or("null")) : result.error().text();
  }
  // Without a transaction around it.
  template <class Work>
  auto alone(Work work) {
    Result<PooledSession> session = pool->acquire_blocking(30s);
    EXPECT_TRUE(session.has_value()) << session.error().text();
    StatementScope scope(**session, deadline_after(runtime.scheduler().now(), 30s));
    return work(scope);
  }
  Result<void> update(const FencedUpdate& what, const std::string& expected) {
    return alone([&](StatementScope& scope) {
      return postgres::update_fenced_blocking(scope, what, expected);
    });
  }
  Result<std::string> auto_update(const FencedUpdate& what) {
    return alone(
        [&](StatementScope& scope) { return postgres::update_auto_fenced_blocking(scope, what); });
  }

  std::unique_ptr<PostgresPool> pool;
};

TEST_F(FencedUpdateTest, TheExpectedTokenLetsItThroughOnce) {
  const Result<void> first = update(shard(), "41");
  const Result<void> second = update(shard(), "41");

  ASSERT_TRUE(first.has_value()) << first.error().text();
  EXPECT_EQ(row(), "42 you");
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().text(), "shard 7/a fencing token changed from expected 41");
  ASSERT_NE(second.error().condition(), nullptr);
  EXPECT_EQ(second.error().condition()->kind, "shard");
}

TEST_F(FencedUpdateTest, TheNextTokenCanBeMadeOfTheOneThatIsFound) {
  FencedUpdate counted = shard();
  counted.next_token.reset();
  counted.next_token_after = [](const std::string& found) { return found + "0"; };
  const Result<std::string> found = auto_update(counted);
  ASSERT_TRUE(found.has_value()) << found.error().text();
  EXPECT_EQ(*found, "41");
  EXPECT_EQ(row(), "410 you");

  counted.next_token = "42";
  const Result<void> both = update(counted, "410");
  ASSERT_FALSE(both.has_value());
  EXPECT_EQ(both.error().code(), Errc::invalid);
}

TEST_F(FencedUpdateTest, AutoFencedReadsTheTokenItself) {
  FencedUpdate steady = shard();
  steady.next_token.reset();

  EXPECT_EQ(auto_update(steady).value(), "41");
  EXPECT_EQ(row(), "41 you");
  EXPECT_EQ(auto_update(shard()).value(), "41");
  EXPECT_EQ(auto_update(shard()).value(), "42");
  EXPECT_EQ(auto_update(shard("9")).error().code(), Errc::not_found);
  EXPECT_EQ(auto_update(shard("8")).error().code(), Errc::invalid);  // its token is NULL
}

TEST_F(FencedUpdateTest, AKeyThatNamesSeveralRowsIsAnErrorAndIsRolledBack) {
  FencedUpdate both = shard();
  both.key.pop_back();

  const Result<void> done =
      run_transaction_blocking(*pool, options("both"), [&](Transaction& transaction) {
        return postgres::update_fenced_blocking(transaction, both, "41");
      });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::invalid) << done.error().text();
  EXPECT_EQ(row(), "41 me");
  EXPECT_EQ(auto_update(both).error().code(), Errc::invalid);
}

TEST_F(FencedUpdateTest, UpdatesThatCannotWorkAreRefused) {
  FencedUpdate everything = shard();
  everything.key.clear();
  FencedUpdate nothing = shard();
  nothing.values.clear();
  nothing.next_token.reset();
  FencedUpdate null_key = shard();
  null_key.key[0].value.reset();
  for (const FencedUpdate& wrong : {everything, nothing, null_key}) {
    EXPECT_EQ(update(wrong, "41").error().code(), Errc::invalid);
    EXPECT_EQ(auto_update(wrong).error().code(), Errc::invalid);
  }
  EXPECT_EQ(row(), "41 me");
}

TEST_F(FencedUpdateTest, StatementsOfOnesOwnAreFencedToo) {
  const auto take = [&](const std::string& token) {
    return alone([&](StatementScope& scope) {
      return postgres::compare_and_swap_blocking(
          scope,
          R"(DELETE FROM "Shards ""1""" WHERE shard_id = 7 AND zone = 'a' AND "range id" = $1)",
          parameters(token), Fence("lock", "lock of shard 7", token));
    });
  };

  EXPECT_EQ(take("40").error().text(), "lock of shard 7 fencing token changed from expected 40");
  EXPECT_TRUE(take("41").has_value());
  EXPECT_EQ(take("41").error().condition()->kind, "lock");
}

Task<Result<std::string>> swap_as_task(Transaction& transaction, FencedUpdate what) {
  Result<std::string> found = co_await postgres::update_auto_fenced(transaction, what);
  if (!found) co_return failure(found.error());
  const Result<void> again = co_await postgres::update_fenced(transaction, what, "41");
  if (!again) co_return failure(again.error());
  co_return found;
}

TEST_F(FencedUpdateTest, TasksAreFencedTooAndAFailedConditionIsNotRetried) {
  const FencedUpdate what = shard();
  auto body = [&what](Transaction& transaction) { return swap_as_task(transaction, what); };

  const Result<std::string> done =
      run_blocking(runtime.scheduler(), run_transaction(*pool, options("swap"), body));

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::condition_failed);
  EXPECT_EQ(row(), "41 me");
  EXPECT_EQ(counted("swap").attempts, 1u);
}

// SELECT counts too: the rows that it found, of which it has changed none.
TEST_F(FencedUpdateTest, WhatChangesNothingIsNoChange) {
  const Result<AffectedRows> selected =
      alone([](StatementScope& scope) { return scope.modify_blocking("SELECT 7"); });
  const Result<void> swapped = alone([](StatementScope& scope) {
    return postgres::compare_and_swap_blocking(scope, "SELECT 7", Parameters(),
                                               Fence("lock", "lock of shard 7", "41"));
  });

  ASSERT_FALSE(selected.has_value() || swapped.has_value());
  EXPECT_EQ(selected.error().code(), Errc::invalid);
  EXPECT_EQ(selected.error().text(),
            "INSERT, UPDATE, DELETE or MERGE was expected, and the statement was \"SELECT 1\"");
  EXPECT_EQ(swapped.error().code(), Errc::invalid);
}

TEST_F(FencedUpdateTest, RowCountsSayWhatWasExpected) {
  add_counters(2);
  const auto modify = [&] {
    return alone([](StatementScope& scope) {
      return scope.modify_blocking("UPDATE counter SET value = value + 1");
    });
  };
  const Result<AffectedRows> rows = modify();

  ASSERT_TRUE(rows.has_value()) << rows.error().text();
  EXPECT_EQ(rows->any(), 2u);
  EXPECT_TRUE(rows->exactly(2) && rows->at_least(1) && rows->at_most(2));
  const Result<void> wrong = rows->exactly(1);
  EXPECT_EQ(wrong.error().code(), Errc::condition_failed);
  EXPECT_EQ(wrong.error().text(), "the statement changed 2 rows, and exactly 1 was expected");
  EXPECT_FALSE(rows->at_least(3));
  EXPECT_FALSE(rows->at_most(1));
}

}  // namespace
}  // namespace forebay::test
