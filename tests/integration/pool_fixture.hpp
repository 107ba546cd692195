// What the tests of a whole pool against a real server share.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/embedded/postgres_server.hpp"
#include "forebay/forebay.hpp"
#include "support/load_time.hpp"

namespace forebay::test {

using namespace std::chrono_literals;
using embedded::PostgresServer;
using embedded::PostgresServerOptions;
using postgres::LibpqConnection;
using postgres::PooledSession;
using postgres::PostgresPool;
using postgres::QueryResult;

inline int number(const Result<QueryResult>& result) {
  EXPECT_TRUE(result.has_value()) << result.error().text();
  return result ? std::stoi(std::string(result->value(0, 0).value_or("-1"))) : -1;
}

// A server with a role "app" and one superuser connection to look at it from inside.
class PoolFixture : public testing::Test {
 protected:
  void launch(PostgresServerOptions options) {
    auto launched = PostgresServer::launch(std::move(options));
    ASSERT_TRUE(launched.has_value()) << launched.error().text();
    use(std::move(*launched));
    ASSERT_TRUE(ask("CREATE ROLE app LOGIN").has_value());
  }
  void use(std::unique_ptr<PostgresServer> launched) {
    server = std::move(launched);
    PoolOptions admin;
    admin.name = "admin";
    admin.size.max = 1;
    admin.lifetime = 1h;
    auto opened = PostgresPool::open(runtime, server->superuser_url(), admin);
    ASSERT_TRUE(opened.has_value()) << opened.error().text();
    admin_pool = std::move(*opened);
  }

  Result<QueryResult> ask(const std::string& sql) {
    Result<PooledSession> session = admin_pool->acquire_blocking(30s);
    if (!session) return failure(session.error());
    return (*session)->exec_blocking(sql, 30s);
  }
  int sessions() {
    return number(ask("SELECT count(*) FROM pg_stat_activity WHERE usename = 'app'"));
  }

  // Of sessions that were one too many, by the server's log.
  std::size_t refusals() const {
    const std::string log = server->log_text();
    std::size_t count = 0;
    for (const char* text : {"too many", "remaining connection slots"}) {
      for (std::size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1))
        ++count;
    }
    return count;
  }

  std::unique_ptr<PostgresPool> open_pool(PoolOptions options) {
    return open_pool_at(server->url("app", "postgres"), std::move(options));
  }
  std::unique_ptr<PostgresPool> open_pool_at(const std::string& target, PoolOptions options) {
    auto opened = PostgresPool::open(runtime, target, std::move(options));
    EXPECT_TRUE(opened.has_value()) << opened.error().text();
    return opened ? std::move(*opened) : nullptr;
  }

  std::unique_ptr<PostgresServer> server;
  Runtime runtime;
  std::unique_ptr<PostgresPool> admin_pool;
};

// Threads that call work(thread number) again and again until they are stopped.
class Load {
 public:
  template <class Work>
  Load(int threads, Work work) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, work, i] {
        while (!is_over_) work(i);
      });
    }
  }
  ~Load() { stop(); }
  void stop() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::atomic<bool> is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace forebay::test
