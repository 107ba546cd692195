#include "forebay/doctor/database_probe.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/base/dsql_host.hpp"
#include "forebay/base/number_text.hpp"
#include "forebay/postgres/driver/libpq_connection.hpp"
#include "forebay/postgres/driver/libpq_connector.hpp"

namespace forebay::doctor {
namespace {

using postgres::ConnectionString;
using postgres::LibpqConnection;
using postgres::LibpqConnector;
using postgres::QueryResult;

constexpr int kRoundTrips = 3;
constexpr const char* kDefaultPort = "5432";

bool is_on_this_machine(std::string_view host) {
  return host.empty() || host.starts_with('/') || host.starts_with('@') || host == "localhost" ||
         host.starts_with("127.") || host == "::1";
}

DatabaseFacts facts_of(const ConnectionString& target, bool has_token) {
  DatabaseFacts facts;
  const std::string host(target.host());
  facts.is_local = is_on_this_machine(host);
  facts.place = host.empty() ? "libpq's default host" : host;
  if (!host.starts_with('/') && !host.empty())
    facts.place += fmt::format(":{}", target.port().empty() ? kDefaultPort : target.port());
  facts.user = target.user();
  facts.name = target.database();
  facts.is_dsql = is_dsql_host(host);
  facts.sslmode = target.get("sslmode");
  if (facts.sslmode.empty()) facts.sslmode = "prefer";  // libpq's default
  facts.has_token = has_token;
  facts.root_certificates = postgres::system_root_certificates(postgres::libpq_version());
  return facts;
}

// Looks through one open connection. What the server does not tell stays unknown.
class Look {
 public:
  Look(Env env, LibpqConnection& connection, Duration timeout, DatabaseFacts& facts)
      : env_(env), connection_(connection), timeout_(timeout), facts_(facts) {}

  Task<void> round_trips();
  Task<void> clock();
  Task<void> server();

 private:
  Instant deadline() const { return deadline_after(env_.scheduler.now(), timeout_); }
  Task<std::string> word(std::string sql);  // empty: not told
  Task<std::optional<int>> number(std::string sql);
  Task<std::optional<Duration>> time_limit(std::string setting);

  const Env env_;
  LibpqConnection& connection_;
  const Duration timeout_;
  DatabaseFacts& facts_;
};

Task<std::string> Look::word(std::string sql) {
  postgres::Statement statement(std::move(sql));
  const Result<QueryResult> result = co_await connection_.exec(std::move(statement), deadline());
  if (!result || result->rows() != 1) co_return std::string();
  co_return std::string(result->value(0, 0).value_or(""));
}

Task<std::optional<int>> Look::number(std::string sql) {
  const std::string text = co_await word(std::move(sql));
  co_return parse_number<int>(text);
}

Task<std::optional<Duration>> Look::time_limit(std::string setting) {
  std::string sql = fmt::format("SELECT setting FROM pg_settings WHERE name = '{}'", setting);
  const std::optional<int> milliseconds = co_await number(std::move(sql));
  if (!milliseconds) co_return std::nullopt;
  co_return std::chrono::milliseconds(*milliseconds);
}

Task<void> Look::round_trips() {
  for (int i = 0; i < kRoundTrips; ++i) {
    const Instant begin = env_.scheduler.now();
    const Result<void> checked = co_await connection_.check(deadline());
    if (!checked) co_return;
    const Duration took = env_.scheduler.now() - begin;
    facts_.round_trip = i == 0 ? took : std::min(facts_.round_trip, took);
  }
}

Task<void> Look::clock() {
  const WallTime before = env_.wall_clock.now();
  const std::string text =
      co_await word("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint");
  const WallTime after = env_.wall_clock.now();
  const std::optional<std::int64_t> microseconds = parse_number<std::int64_t>(text);
  if (!microseconds) co_return;
  ClockReading clock("the database", WallTime(std::chrono::microseconds(*microseconds)));
  clock.before = before;
  clock.after = after;
  clock.resolution = std::chrono::microseconds(1);
  facts_.clock = std::move(clock);
}

Task<void> Look::server() {
  facts_.version = co_await word("SHOW server_version");
  if (facts_.is_dsql) co_return;  // the rest it does not have, or it means nothing there
  facts_.max_connections = co_await number("SHOW max_connections");
  facts_.reserved = co_await number(
      "SELECT sum(setting::int) FROM pg_settings "
      "WHERE name IN ('superuser_reserved_connections', 'reserved_connections')");
  // pg_stat_activity hides from an ordinary role what the sessions of others are.
  facts_.sessions = co_await number("SELECT sum(numbackends) FROM pg_stat_database");
  facts_.role_limit =
      co_await number("SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user");
  facts_.database_limit =
      co_await number("SELECT datconnlimit FROM pg_database WHERE datname = current_database()");
  const std::string encrypted =
      co_await word("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
  if (!encrypted.empty()) facts_.is_encrypted = encrypted == "t";
  facts_.idle_session_timeout = co_await time_limit("idle_session_timeout");
  facts_.statement_timeout = co_await time_limit("statement_timeout");
  facts_.idle_transaction_timeout = co_await time_limit("idle_in_transaction_session_timeout");
}

}  // namespace

Task<DatabaseFacts> look_at_database(Env env, postgres::LibpqEnv libpq, DatabaseTarget database,
                                     std::string token, Duration timeout) {
  Result<ConnectionString> target = database.connection();
  DatabaseFacts facts = facts_of(target ? *target : ConnectionString(), !token.empty());
  if (!target) {
    facts.failure = target.error();
    co_return facts;
  }
  LibpqConnector connector(libpq, *target, postgres::ServerProfile::for_host(target->host()));
  if (const std::string_view mode = connector.target().get("sslmode"); !mode.empty())
    facts.sslmode = mode;  // Aurora DSQL is never asked without TLS
  const Instant begin = env.scheduler.now();
  const Instant deadline = deadline_after(begin, timeout);
  Result<std::unique_ptr<Connection>> connected =
      co_await connector.connect(std::move(token), deadline);
  facts.connect_time = env.scheduler.now() - begin;
  if (!connected) {
    facts.failure = connected.error();
    co_return facts;
  }
  Look look(env, static_cast<LibpqConnection&>(**connected), timeout, facts);
  co_await look.round_trips();
  co_await look.clock();
  co_await look.server();
  const Instant goodbye = deadline_after(env.scheduler.now(), timeout);
  co_await (*connected)->close(goodbye);
  co_return facts;
}

}  // namespace forebay::doctor
