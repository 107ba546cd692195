#include "forebay/cli/demo/demo_server.hpp"

#include "forebay/postgres/postgres_pool.hpp"

namespace forebay::cli {
namespace {

constexpr Duration kPreparationLimit = std::chrono::seconds(30);

Result<void> run_as_superuser(Runtime& runtime, const embedded::PostgresServer& server,
                              const std::string& sql) {
  PoolOptions options;
  options.name = "demo superuser";
  options.size.max = 1;
  auto pool = postgres::PostgresPool::open(runtime, server.superuser_url(), options);
  if (!pool) return failure(pool.error());
  Result<postgres::PooledSession> session = (*pool)->acquire_blocking(kPreparationLimit);
  if (!session) return failure(session.error());
  const Result<postgres::QueryResult> done = (*session)->exec_blocking(sql, kPreparationLimit);
  if (!done) return failure(done.error());
  return {};
}

}  // namespace

Result<DemoServer> launch_demo_server(Runtime& runtime, int connection_limit) {
  embedded::PostgresServerOptions options;
  options.max_connections = connection_limit + options.superuser_reserved_connections;
  auto server = embedded::PostgresServer::launch(options);
  if (!server) return failure(server.error());
  // A role of its own: superusers may use the reserved connections too, and the limit would not be
  // one.
  const Result<void> made = run_as_superuser(runtime, **server, "CREATE ROLE app LOGIN");
  if (!made) return failure(made.error());
  std::string url = (*server)->url("app", "postgres");
  return DemoServer{std::move(*server), std::move(url)};
}

}  // namespace forebay::cli
