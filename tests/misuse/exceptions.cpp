// Exceptions of the application where nobody of it could catch them.
#include <stdexcept>

#include "forebay/env/run_blocking.hpp"
#include "misuse/misuse.hpp"

namespace forebay::misuse {
namespace {

void after_connect_throws(const std::string& url) {
  Runtime runtime;
  PoolOptions options;
  options.after_connect = [](Connection&, Instant) -> Task<Result<void>> {
    throw std::runtime_error("oops");
  };
  const auto pool = open_pool(runtime, url, options);
  const Result<PooledSession> session = pool->acquire_blocking(500ms);
  if (!session) print(session.error());
}

Task<Result<void>> throw_later(Connection& connection, Instant deadline) {
  auto& typed = static_cast<postgres::LibpqConnection&>(connection);
  const auto rows = co_await typed.exec("SELECT 1", deadline);
  if (rows) throw std::runtime_error("oops");
  co_return Result<void>();
}

void after_connect_throws_later(const std::string& url) {
  Runtime runtime;
  PoolOptions options;
  options.after_connect = &throw_later;
  const auto pool = open_pool(runtime, url, options);
  const Result<PooledSession> session = pool->acquire_blocking(500ms);
  if (!session) print(session.error());
}

void before_close_throws(const std::string& url) {
  Runtime runtime;
  PoolOptions options;
  options.before_close = [](Connection&, DiscardReason) { throw std::runtime_error("oops"); };
  const auto pool = open_pool(runtime, url, options);
  acquire(*pool).discard();
  print(pool->close(20s) ? "closed" : "not closed");
}

void on_leak_throws(const std::string& url) {
  Runtime runtime;
  PoolOptions options;
  options.leak_after = 50ms;
  std::atomic<bool> is_called = false;
  options.on_leak = [&is_called](const LeakReport&) {
    is_called = true;
    throw std::runtime_error("oops");
  };
  const auto pool = open_pool(runtime, url, options);
  PooledSession session = acquire(*pool);
  for (int i = 0; i < 2'000 && !is_called; ++i) answer(session, "SELECT pg_sleep(0.01)");
  print(answer(session, "SELECT 'goes on'"));
}

Task<Result<int>> throw_in_body(postgres::Transaction& transaction) {
  const auto rows = co_await transaction.exec("SELECT 1");
  if (rows) throw std::runtime_error("oops");
  co_return 1;
}

void body_throws(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  const Result<int> done = run_blocking(
      runtime.scheduler(),
      postgres::run_transaction(*pool, postgres::TransactionOptions("transfer"), &throw_in_body));
  if (!done) print(done.error());
}

Task<void> throw_at_once() {
  throw std::runtime_error("oops");
  co_return;
}

void detached_task_throws(const std::string&) {
  Runtime runtime;
  start_detached(runtime.scheduler(), throw_at_once());
}

void awaited_task_throws(const std::string&) {
  Runtime runtime;
  try {
    run_blocking(runtime.scheduler(), throw_at_once());
  } catch (const std::runtime_error& error) {
    print(std::string("caught on the thread that waited: ") + error.what());
  }
}

}  // namespace

std::vector<Program> exception_programs() {
  return {{"after-connect-throws", &after_connect_throws},
          {"after-connect-throws-later", &after_connect_throws_later},
          {"before-close-throws", &before_close_throws},
          {"on-leak-throws", &on_leak_throws},
          {"body-throws", &body_throws},
          {"detached-task-throws", &detached_task_throws},
          {"awaited-task-throws", &awaited_task_throws}};
}

}  // namespace forebay::misuse
