// Sessions that are used beyond their loan, and pools beyond their end.
#include "forebay/pqxx.hpp"
#include "misuse/misuse.hpp"

namespace forebay::misuse {
namespace {

using postgres::LibpqConnection;
using postgres::PostgresTenants;

std::unique_ptr<PostgresTenants> open_tenants(Runtime& runtime, const std::string& url) {
  TenantOptions options;
  options.prefix = "misuse";
  options.creates_missing_databases = true;
  auto tenants = PostgresTenants::open(runtime, url, std::move(options));
  if (!tenants) fail(tenants.error().text());
  return std::move(*tenants);
}

PooledSession acquire_acme(PostgresTenants& tenants) {
  Result<PooledSession> session = tenants.acquire_blocking("acme", 20s);
  if (!session) fail(session.error().text());
  return std::move(*session);
}

void moved_session(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  const PooledSession other = std::move(session);
  print(answer(session, "SELECT 1"));
}

void given_back_session(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  session.give_back();
  print(answer(session, "SELECT 1"));
}

void discarded_session(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  session.discard();
  print(answer(session, "SELECT 1"));
}

void twice_given_back(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  session.give_back();
  session.give_back();
}

void empty_session(const std::string&) {
  PooledSession session{PooledConnection()};
  print(answer(session, "SELECT 1"));
}

void given_back_connection(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  std::optional<PooledConnection> pooled;
  while (!pooled) pooled = pool->pool().try_acquire();
  pooled->give_back();
  print(std::to_string(pooled->id()));
}

void tenants_session(const std::string& url) {
  Runtime runtime;
  const auto tenants = open_tenants(runtime, url);
  PooledSession session = acquire_acme(*tenants);
  session.give_back();
  print(answer(session, "SELECT 1"));
}

void kept_connection(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  LibpqConnection& connection = *session;
  session.give_back();
  const auto rows = connection.exec_blocking("SELECT 1", 20s);
  print(rows ? "answered" : rows.error().text());
}

void kept_scope(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  postgres::StatementScope scope(*session, runtime.scheduler().now() + 20s);
  session.give_back();
  const auto rows = scope.exec_blocking("SELECT 1");
  print(rows ? "answered" : rows.error().text());
}

void kept_from_transaction(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  LibpqConnection* connection = nullptr;
  const Result<int> done =
      postgres::run_transaction_blocking(*pool, postgres::TransactionOptions("transfer"),
                                         [&connection](postgres::Transaction& transaction) {
                                           connection = &transaction.connection();
                                           return Result<int>(1);
                                         });
  if (!done) fail(done.error().text());
  const auto rows = connection->exec_blocking("SELECT 1", 20s);
  print(rows ? "answered" : rows.error().text());
}

Task<void> ask(LibpqConnection& connection, Instant deadline) {
  const auto rows = co_await connection.exec("SELECT pg_sleep(10)", deadline);
  if (!rows) print(rows.error());
}

Task<void> give_back_too_early(PostgresPool& pool, Scheduler& scheduler) {
  Result<PooledSession> session = co_await pool.acquire(scheduler.now() + 20s);
  if (!session) fail(session.error().text());
  start_detached(scheduler, ask(**session, scheduler.now() + 20s));
  co_await Yield(scheduler);
}

void statement_at_work(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  run_blocking(runtime.scheduler(), give_back_too_early(*pool, runtime.scheduler()));
}

constexpr const char* kManyRows = "SELECT repeat('x', 1000) || generate_series(1, 1000000)";

void stream_at_work(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  const auto rows = session->stream_blocking<std::string>(kManyRows);
  if (!rows) fail(rows.error().text());
  session.give_back();
}

void statement_while_streaming(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  const auto rows = session->stream_blocking<std::string>(kManyRows);
  if (!rows) fail(rows.error().text());
  print(session->exec_blocking("SELECT 1").error());
}

void pqxx_at_work(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  postgres::PqxxConnection connection(*session);
  pqxx::nontransaction(connection).exec("SELECT 1");
  session.give_back();
  pqxx::nontransaction(connection).exec("SELECT 1");
}

void pqxx_too_late(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  LibpqConnection& kept = *session;
  session.give_back();
  postgres::PqxxConnection connection(kept);
}

void closed_pool(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  pool->close(20s);
  const Result<PooledSession> session = pool->acquire_blocking(20s);
  if (!session) print(session.error());
}

void closed_pool_transaction(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  pool->close(20s);
  const Result<int> done =
      postgres::run_transaction_blocking(*pool, postgres::TransactionOptions("transfer"),
                                         [](postgres::Transaction&) { return Result<int>(1); });
  if (!done) print(done.error());
}

void session_of_closed_pool(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  if (pool->close(100ms)) fail("closed while a session was lent");
  print(answer(session, "SELECT 'answered all the same'"));
}

void closed_tenants(const std::string& url) {
  Runtime runtime;
  const auto tenants = open_tenants(runtime, url);
  tenants->close(20s);
  const Result<PooledSession> session = tenants->acquire_blocking("acme", 20s);
  if (!session) print(session.error());
}

void tenants_before_session(const std::string& url) {
  Runtime runtime;
  auto tenants = open_tenants(runtime, url);
  PooledSession session = acquire_acme(*tenants);
  tenants.reset();
}

}  // namespace

std::vector<Program> loan_programs() {
  return {{"moved-session", &moved_session},
          {"given-back-session", &given_back_session},
          {"discarded-session", &discarded_session},
          {"twice-given-back", &twice_given_back},
          {"empty-session", &empty_session},
          {"given-back-connection", &given_back_connection},
          {"tenants-session", &tenants_session},
          {"kept-connection", &kept_connection},
          {"kept-scope", &kept_scope},
          {"kept-from-transaction", &kept_from_transaction},
          {"statement-at-work", &statement_at_work},
          {"stream-at-work", &stream_at_work},
          {"statement-while-streaming", &statement_while_streaming},
          {"pqxx-at-work", &pqxx_at_work},
          {"pqxx-too-late", &pqxx_too_late},
          {"closed-pool", &closed_pool},
          {"closed-pool-transaction", &closed_pool_transaction},
          {"session-of-closed-pool", &session_of_closed_pool},
          {"closed-tenants", &closed_tenants},
          {"tenants-before-session", &tenants_before_session}};
}

}  // namespace forebay::misuse
