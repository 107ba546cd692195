// A whole pool of links on a real PostgreSQL: whatever one user leaves, the next finds nothing of
// it.
#include "forebay/env/sleep.hpp"
#include "forebay/pool/pool.hpp"
#include "proxy_link_real/link_fixture.hpp"

namespace forebay::proxy {
namespace {

PoolOptions one_session() {
  PoolOptions options;
  options.size.max = 1;
  return options;
}

// As in production: a server that was missed by a cancel notices that we are gone.
LinkSettings noticed_soon() {
  LinkSettings settings;
  settings.server_notices_after = std::chrono::seconds(6);
  return settings;
}

class RealLinkPoolTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<LinkServer>();
    server_->ask("CREATE TABLE goods (id int)");
    server_->ask("GRANT ALL ON goods TO app");
  }
  static void TearDownTestSuite() { server_.reset(); }

  RealLinkPoolTest() { client_.run(pool_.start()); }
  ~RealLinkPoolTest() override {
    EXPECT_TRUE(client_.run(pool_.close(client_.in(kPatience))));
    EXPECT_EQ(server_->sessions(), "0");
  }

  Instant soon() const { return client_.in(kPatience); }
  // What the use does with the link of the pool, on its loop.
  template <class Use>
  std::string with_link(Use use) {
    return client_.run(lend(pool_, use, soon()));
  }
  // What the next user sees, and in which backend.
  std::string next_user(const std::string& sql) { return with_link(Asking(sql, soon())); }
  std::string backend() { return next_user("SELECT pg_backend_pid()::text"); }

  class Asking {
   public:
    Asking(std::string sql, Instant deadline) : sql_(std::move(sql)), deadline_(deadline) {}
    Task<std::string> operator()(ServerLink& link) const { return ask(link, sql_, deadline_); }

   private:
    std::string sql_;
    Instant deadline_;
  };
  // Says something and leaves without an answer.
  class Leaving {
   public:
    Leaving(std::string bytes, std::string types, Instant deadline)
        : bytes_(std::move(bytes)), types_(std::move(types)), deadline_(deadline) {}
    Task<std::string> operator()(ServerLink& link) const { return leave(link, *this); }

   private:
    static Task<std::string> leave(ServerLink& link, const Leaving& self) {
      co_await say(link, self.bytes_, self.types_, self.deadline_);
      co_return "left";
    }
    std::string bytes_, types_;
    Instant deadline_;
  };
  // Two ask for the end of the same statement.
  static Task<std::string> cancelled(ServerLink& link, Instant deadline) {
    co_await say(link, query("SELECT pg_sleep(600)"), "Q", deadline);
    const Result<void> first = co_await link.request_cancel(deadline);
    const Result<void> second = co_await link.request_cancel(deadline);
    if (!first || !second) co_return "not delivered";
    co_return co_await answer(link, deadline);
  }
  static std::string query(const std::string& sql) {
    std::string out;
    wire::write_query(out, sql);
    return out;
  }

  template <class Use>
  static Task<std::string> lend(Pool& pool, const Use& use, Instant deadline) {
    Result<PooledConnection> lent = co_await pool.acquire(deadline);
    if (!lent) co_return lent.error().text();
    auto& link = static_cast<ServerLink&>(lent->connection());
    const bool is_there = co_await link.is_still_there();
    if (!is_there) co_return "gone";
    co_return co_await use(link);
  }

  static inline std::unique_ptr<LinkServer> server_;
  Runtime runtime_;
  LinkClient client_{runtime_, target(server_->url()), nullptr, noticed_soon()};
  Pool pool_{runtime_.env(), client_.connector(), one_session()};
};

TEST_F(RealLinkPoolTest, ATransactionIsRolledBack) {
  const std::string first = backend();
  EXPECT_EQ(next_user("BEGIN; INSERT INTO goods VALUES (1)"), "no row");
  EXPECT_EQ(next_user("SELECT count(*) FROM goods"), "0");
  EXPECT_EQ(next_user("BEGIN; SELECT no_such_column"), "error");
  EXPECT_EQ(next_user("SELECT count(*) FROM goods"), "0");
  EXPECT_EQ(backend(), first);
}

TEST_F(RealLinkPoolTest, WhatIsMarkedAsLeftIsCleared) {
  const std::string first = backend();
  const auto leave = [this](ServerLink& link) {
    link.picture().leftovers.add(wire::Leftover::everything);
    return ask(link, "SET work_mem = '77MB'; PREPARE p AS SELECT 1; SET TimeZone = 'Asia/Tokyo'",
               soon());
  };
  EXPECT_EQ(with_link(leave), "no row");
  EXPECT_NE(next_user("SHOW work_mem"), "77MB");
  EXPECT_EQ(next_user("SELECT count(*) FROM pg_prepared_statements"), "0");
  const auto zone = [](ServerLink& link) -> Task<std::string> {
    co_return link.picture().reported.at("TimeZone");
  };
  EXPECT_EQ(with_link(zone), next_user("SHOW TimeZone"));
  EXPECT_EQ(backend(), first);
}

TEST_F(RealLinkPoolTest, ACopyThatIsHalfDoneIsEnded) {
  const std::string first = backend();
  std::string data = query("COPY goods FROM STDIN");
  wire::write_copy_data(data, "1\n2");
  EXPECT_EQ(with_link(Leaving(data, "Qd", soon())), "left");
  EXPECT_EQ(next_user("SELECT count(*) FROM goods"), "0");
  EXPECT_EQ(backend(), first);
}

TEST_F(RealLinkPoolTest, AnExtendedQueryWithoutItsSyncIsEnded) {
  const std::string first = backend();
  std::string out;
  wire::write_parse(out, "", "INSERT INTO goods VALUES (1)");
  wire::write_bind(out, {});
  wire::write_execute(out, "");
  EXPECT_EQ(with_link(Leaving(out, "PBE", soon())), "left");
  EXPECT_EQ(backend(), first);
  server_->ask("TRUNCATE goods");  // its Sync has committed it, as any client's would
}

TEST_F(RealLinkPoolTest, ARunningStatementIsCancelled) {
  const std::string first = backend();
  EXPECT_EQ(with_link(Leaving(query("SELECT pg_sleep(600)"), "Q", soon())), "left");
  EXPECT_EQ(next_user("SELECT 5"), "5");
  EXPECT_EQ(backend(), first);
}

TEST_F(RealLinkPoolTest, ALongAnswerThatNobodyWantsIsEnded) {
  const std::string rows = query("SELECT repeat('x', 100000) FROM generate_series(1, 100000)");
  EXPECT_EQ(with_link(Leaving(rows, "Q", soon())), "left");
  EXPECT_EQ(next_user("SELECT 6"), "6");
}

TEST_F(RealLinkPoolTest, ATerminatedBackendIsFound) {
  const std::string first = backend();
  server_->ask("SELECT pg_terminate_backend(" + first + ")");
  std::string found;
  const Instant end = soon();
  while (found != "gone" && runtime_.scheduler().now() < end) {
    const auto look_once = [](ServerLink& link) -> Task<std::string> {
      co_return link.is_usable() ? "there" : "gone";
    };
    found = with_link(look_once);
  }
  EXPECT_EQ(found, "gone");
  const std::string second = backend();
  EXPECT_NE(second, first);
  EXPECT_NE(second, "gone");
}

TEST_F(RealLinkPoolTest, AClientsCancelEndsAStatementAndNothingElse) {
  const auto use = [this](ServerLink& link) { return cancelled(link, soon()); };
  EXPECT_EQ(with_link(use), "error");
  EXPECT_EQ(next_user("SELECT 8"), "8");
}

}  // namespace
}  // namespace forebay::proxy
