// Calls that block, made on the runtime's own thread.
#include "forebay/env/run_blocking.hpp"
#include "misuse/misuse.hpp"

namespace forebay::misuse {
namespace {

Task<void> acquire_all(PostgresPool& pool) {
  std::vector<PooledSession> held;
  for (int i = 0; i < 5; ++i) {  // one more than there are
    Result<PooledSession> session = pool.acquire_blocking(20s);
    if (!session) co_return print(session.error());
    held.push_back(std::move(*session));
  }
}

void blocking_acquire(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  run_blocking(runtime.scheduler(), acquire_all(*pool));
}

Task<void> close(PostgresPool& pool) {
  pool.close(20s);
  co_return;
}

void blocking_close(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  run_blocking(runtime.scheduler(), close(*pool));
}

Task<void> state(PostgresPool& pool) {
  const Instant deadline = deadline_after(pool.env().scheduler.now(), 20s);
  Result<PooledSession> session = co_await pool.acquire(deadline);
  if (!session) co_return print(session.error());
  const auto rows = (*session)->exec_blocking("SELECT 1", 20s);
  if (!rows) print(rows.error());
}

void blocking_statement(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  run_blocking(runtime.scheduler(), state(*pool));
}

Task<void> transact(PostgresPool& pool) {
  const Result<int> done =
      postgres::run_transaction_blocking(pool, postgres::TransactionOptions("transfer"),
                                         [](postgres::Transaction&) { return Result<int>(1); });
  if (!done) print(done.error());
  co_return;
}

void blocking_transaction(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  run_blocking(runtime.scheduler(), transact(*pool));
}

Task<Result<int>> use_raw(postgres::Transaction& transaction) {
  print(transaction.connection().native() != nullptr ? "raw" : "none");
  co_return 1;
}

void raw_before_begin(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  const Result<int> done =
      run_blocking(runtime.scheduler(),
                   postgres::run_transaction(*pool, postgres::TransactionOptions("raw"), use_raw));
  if (!done) print(done.error());
}

Task<void> open(Runtime& runtime, const std::string& url) {
  const auto pool = PostgresPool::open(runtime, url, {});
  if (!pool) print(pool.error());
  co_return;
}

void blocking_open(const std::string& url) {
  Runtime runtime;
  run_blocking(runtime.scheduler(), open(runtime, url));
}

}  // namespace

std::vector<Program> loop_programs() {
  return {
      {"blocking-acquire", &blocking_acquire},     {"blocking-close", &blocking_close},
      {"blocking-statement", &blocking_statement}, {"blocking-transaction", &blocking_transaction},
      {"raw-before-begin", &raw_before_begin},     {"blocking-open", &blocking_open}};
}

}  // namespace forebay::misuse
