// Statements are prepared when they come again, survive what need not drop them, and are bounded.
#include "forebay/postgres/driver/statement_cache.hpp"

#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

SessionOptions caching(StatementCaching mode, int size = 256) {
  SessionOptions options;
  options.statement_cache = mode;
  options.statement_cache_size = size;
  return options;
}

TEST(StatementCacheTest, ATextIsWorthPreparingWhenItComesAgain) {
  StatementCache cache(caching(StatementCaching::automatic));

  EXPECT_FALSE(cache.is_worth_preparing(cache.use("SELECT 1")));
  EXPECT_TRUE(cache.is_worth_preparing(cache.use("SELECT 1")));
  cache.use("BEGIN");
  EXPECT_FALSE(cache.is_worth_preparing(cache.use("BEGIN")));
}

TEST(StatementCacheTest, TheOneNotUsedForLongestIsForgotten) {
  StatementCache cache(caching(StatementCaching::automatic, 2));
  cache.note_prepared(cache.use("SELECT 1"), "one");
  cache.note_prepared(cache.use("SELECT 2"), "two");
  cache.use("SELECT 1");

  cache.use("SELECT 3");

  EXPECT_EQ(cache.stale(), std::vector<std::string>{"two"});
  EXPECT_EQ(cache.use("SELECT 1").server_name, "one");
  EXPECT_EQ(cache.use("SELECT 2").uses, 1u);
}

TEST(StatementCacheTest, ToFindATextIsNoUseOfIt) {
  StatementCache cache(caching(StatementCaching::automatic, 2));
  cache.use("SELECT 1");
  cache.use("SELECT 2");

  ASSERT_NE(cache.find("SELECT 1"), nullptr);
  EXPECT_EQ(cache.find("SELECT 1")->uses, 1u);
  cache.use("SELECT 3");

  EXPECT_EQ(cache.find("SELECT 1"), nullptr);
  EXPECT_EQ(cache.find("SELECT 4"), nullptr);
}

TEST(StatementCacheTest, ARefusalTellsWhatTheServerHas) {
  StatementCache cache(caching(StatementCaching::automatic));
  StatementCache::Known& known = cache.use("SELECT 1");

  cache.note_prepared(known, "one");
  EXPECT_FALSE(cache.note_refused(known, "22012"));
  EXPECT_EQ(known.server_name, "one");
  EXPECT_TRUE(cache.note_refused(known, "26000"));
  EXPECT_EQ(known.server_name, "");
  EXPECT_TRUE(cache.stale().empty());
  cache.note_prepared(known, "two");
  EXPECT_TRUE(cache.note_refused(known, "0A000"));
  EXPECT_EQ(known.server_name, "");
  EXPECT_EQ(cache.stale(), std::vector<std::string>{"two"});
}

TEST(StatementCacheTest, ATextIsReadWhenThatIsAskedFor) {
  SessionOptions options = caching(StatementCaching::off);
  options.reset = ResetMode::always;
  StatementCache cache(options);
  StatementCache::Known& known = cache.use("SELECT 1");

  EXPECT_FALSE(known.reading.is_single);
  EXPECT_TRUE(cache.reading_of(known).is_single);
  EXPECT_FALSE(cache.is_worth_preparing(cache.use("SELECT 1")));
}

TEST(StatementCacheTest, ANameIsNeverUsedTwice) {
  StatementCache cache(caching(StatementCaching::automatic));

  EXPECT_EQ(cache.new_name(""), "forebay_1");
  EXPECT_EQ(cache.new_name("find"), "forebay_2_find");
  EXPECT_EQ(cache.new_name(std::string(60, 'x')), "forebay_3");
  cache.note_all_dropped();
  EXPECT_EQ(cache.new_name(""), "forebay_4");
}

class CachedStatementTest : public SessionTest {
 protected:
  void connect(SessionOptions options, const ServerProfile& profile = ServerProfile::postgresql()) {
    connection_.reset();
    LibpqSettings settings;
    settings.session = std::move(options);
    caching_client_ = std::make_unique<Client>(runtime_, app_url(), nullptr, profile, settings);
    connection_ = caching_client_->connect();
  }
  void TearDown() override { connection_.reset(); }

  // Never the same text twice, so that it is not prepared itself.
  int prepared() {
    const auto count = connection_->query_one_blocking<int>(
        "SELECT count(*)::int FROM pg_prepared_statements WHERE " + std::to_string(++questions_) +
            " > 0",
        kPatience);
    return count.value_or(-1);
  }

  std::unique_ptr<Client> caching_client_;
  int questions_ = 0;
};

TEST_F(CachedStatementTest, IsPreparedAtItsSecondUseWithAndWithoutParameters) {
  connect(SessionOptions());
  for (const Parameters& values : {Parameters(), parameters(1)}) {
    const std::string sql = values.empty() ? "SELECT 1" : "SELECT $1::int";
    const int before = prepared();
    EXPECT_EQ(first_value(connection_->exec_blocking(sql, values, kPatience)), "1");
    EXPECT_EQ(prepared(), before);
    EXPECT_EQ(first_value(connection_->exec_blocking(sql, values, kPatience)), "1");
    EXPECT_EQ(prepared(), before + 1);
    EXPECT_EQ(first_value(run(connection_->exec(sql, values, soon()))), "1");
    EXPECT_EQ(prepared(), before + 1);
  }
}

TEST_F(CachedStatementTest, IsPreparedAsTheOptionSays) {
  connect(caching(StatementCaching::off));
  for (int use = 0; use < 3; ++use) run("SELECT 1");
  EXPECT_EQ(prepared(), 0);

  connect(caching(StatementCaching::eager));
  run("SELECT 1");
  EXPECT_EQ(prepared(), 2);  // the question, too
}

TEST_F(CachedStatementTest, SurvivesTheResetsThatNeedNotDropIt) {
  connect(SessionOptions());
  run("SELECT 1");
  run("SELECT 1");
  run("SET work_mem = '123kB'");
  ASSERT_TRUE(connection_->needs_reset());
  ASSERT_TRUE(caching_client_->reset(*connection_));

  EXPECT_EQ(prepared(), 1);
  EXPECT_EQ(ask("SHOW work_mem"), "4MB");

  run("PREPARE mine AS SELECT 1");
  ASSERT_TRUE(caching_client_->reset(*connection_));
  EXPECT_EQ(prepared(), 0);
  run("SELECT 1");
  EXPECT_EQ(prepared(), 1);
}

TEST_F(CachedStatementTest, WhoseTableHasChangedIsPreparedAgain) {
  connect(SessionOptions());
  run("CREATE TEMP TABLE changing (a int)");
  run("INSERT INTO changing VALUES (1)");
  for (int use = 0; use < 3; ++use) run("SELECT * FROM changing");

  run("ALTER TABLE changing ADD COLUMN b text DEFAULT 'new'");

  const auto rows =
      connection_->query_one_blocking<int, std::string>("SELECT * FROM changing", kPatience);
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(std::get<1>(*rows), "new");
}

TEST_F(CachedStatementTest, WhoseTableHasChangedInATransactionWorksAfterIt) {
  connect(SessionOptions());
  run("CREATE TEMP TABLE changing (a int)");
  for (int use = 0; use < 3; ++use) run("SELECT * FROM changing");
  run("BEGIN");
  run("ALTER TABLE changing ADD COLUMN b text");

  EXPECT_EQ(error_of(connection_->exec_blocking("SELECT * FROM changing", kPatience)).sqlstate(),
            "0A000");
  run("ROLLBACK");
  run("SELECT * FROM changing");
}

TEST_F(CachedStatementTest, ThatIsForgottenIsDroppedOnTheServer) {
  for (const bool is_dsql : {false, true}) {
    ServerProfile profile = is_dsql ? ServerProfile::dsql() : ServerProfile::postgresql();
    profile.requires_tls = false;
    connect(caching(StatementCaching::eager, 4), profile);

    for (int text = 0; text < 50; ++text) {
      run("SELECT " + std::to_string(text));
      if (connection_->needs_reset()) {
        ASSERT_TRUE(caching_client_->reset(*connection_));
        ASSERT_FALSE(connection_->needs_reset());
      }
      ASSERT_LE(prepared(), 4 + static_cast<int>(StatementCache::kManyStale) + 2);
    }
    run("SELECT 49");
  }
}

TEST_F(CachedStatementTest, OfOneLoanDoesNotDisturbTheNext) {
  connect(SessionOptions());
  run("SELECT 1");
  run("SELECT 1");

  run("PREPARE forebay AS SELECT 2");
  EXPECT_EQ(ask("EXECUTE forebay"), "2");
  ASSERT_TRUE(caching_client_->reset(*connection_));

  EXPECT_EQ(ask("SELECT 1"), "1");
  EXPECT_FALSE(connection_->exec_blocking("EXECUTE forebay", kPatience));
}

}  // namespace
}  // namespace forebay::postgres
