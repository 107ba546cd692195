// A proxy before a real PostgreSQL, and clients of it by libpq.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include "forebay/cli/serve/serve_proxy.hpp"
#include "forebay/configuration.hpp"
#include "forebay/embedded/postgres_server.hpp"

namespace forebay::proxy {

// What a statement brought: the first value, or the SQLSTATE and the message.
struct Answer {
  std::string value;
  std::string sqlstate;  // empty: it worked
  std::string message;
  bool is_ok() const { return sqlstate.empty() && message.empty(); }
};

inline Answer answer_of(PGresult* result, PGconn* connection) {
  Answer answer;
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_TUPLES_OK || status == PGRES_SINGLE_TUPLE || status == PGRES_COMMAND_OK) {
    if (PQntuples(result) > 0) answer.value = PQgetvalue(result, 0, 0);
  } else {
    const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    answer.sqlstate = state != nullptr ? state : "";
    answer.message = PQerrorMessage(connection);
    if (answer.message.empty()) answer.message = PQresStatus(status);
  }
  PQclear(result);
  return answer;
}

// A client by libpq, on the thread that uses it.
class Client {
 public:
  explicit Client(const std::string& url) : connection_(PQconnectdb(url.c_str()), &PQfinish) {}

  bool is_connected() const { return PQstatus(connection_.get()) == CONNECTION_OK; }
  std::string problem() const { return PQerrorMessage(connection_.get()); }
  PGconn* get() const { return connection_.get(); }
  void hang_up() { connection_.reset(); }

  Answer query(const std::string& sql) { return answer_of(PQexec(get(), sql.c_str()), get()); }
  Answer execute(const std::string& sql, const std::vector<std::string>& values = {}) {
    const std::vector<const char*> pointers = pointers_to(values);
    return answer_of(PQexecParams(get(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                                  pointers.data(), nullptr, nullptr, 0),
                     get());
  }
  Answer prepare(const std::string& name, const std::string& sql) {
    return answer_of(PQprepare(get(), name.c_str(), sql.c_str(), 0, nullptr), get());
  }
  Answer run(const std::string& name, const std::vector<std::string>& values = {}) {
    const std::vector<const char*> pointers = pointers_to(values);
    return answer_of(PQexecPrepared(get(), name.c_str(), static_cast<int>(values.size()),
                                    pointers.data(), nullptr, nullptr, 0),
                     get());
  }
  // What the server has told libpq of a parameter.
  std::string parameter(const char* name) const {
    const char* const value = PQparameterStatus(get(), name);
    return value != nullptr ? value : "";
  }
  // From any thread.
  bool cancel() {
    const std::unique_ptr<PGcancel, decltype(&PQfreeCancel)> key(PQgetCancel(get()), &PQfreeCancel);
    char text[256];
    return key != nullptr && PQcancel(key.get(), text, sizeof text) == 1;
  }

 private:
  static std::vector<const char*> pointers_to(const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    pointers.reserve(values.size());
    for (const std::string& value : values) pointers.push_back(value.c_str());
    return pointers;
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

// The server counts one connection too many as a refusal: superusers' places are beyond the limit.
class ProxyTest : public testing::Test {
 protected:
  static constexpr int kServerLimit = 20;

  static void SetUpTestSuite() {
    embedded::PostgresServerOptions options;
    options.max_connections = kServerLimit + options.superuser_reserved_connections;
    auto launched = embedded::PostgresServer::launch(options);
    ASSERT_TRUE(launched.has_value()) << launched.error().text();
    server_ = std::move(*launched);
    Client superuser(server_->superuser_url());
    ASSERT_TRUE(superuser.query("CREATE ROLE app LOGIN").is_ok());
    ASSERT_TRUE(superuser.query("GRANT ALL ON SCHEMA public TO app").is_ok());
    ASSERT_TRUE(superuser.query("GRANT pg_signal_backend TO app").is_ok());
  }
  static void TearDownTestSuite() { server_.reset(); }

  void TearDown() override { close(); }

  // One route, to the server of the test.
  void open(int connections, const std::function<void(RouteConfiguration&)>& change = {}) {
    RouteConfiguration route = route_to("postgres", connections);
    route.database.clear();
    route.configuration.pool.name = "proxy";
    if (change) change(route);
    open(std::vector<RouteConfiguration>{std::move(route)});
  }
  void open(std::vector<RouteConfiguration> routes, Duration log_in_limit = ClientLimits().log_in) {
    ProxyConfiguration configuration;
    configuration.listen = {StreamAddress::tcp("127.0.0.1", 0)};
    configuration.log_in_limit = log_in_limit;
    configuration.routes = std::move(routes);
    auto opened = cli::ServeProxy::open(*runtime_, configuration);
    ASSERT_TRUE(opened.has_value()) << opened.error().text();
    proxy_ = std::move(*opened);
  }
  // For those who ask for that database.
  static RouteConfiguration route_to(const std::string& database, int connections) {
    RouteConfiguration route;
    route.database = database;
    route.configuration.database.url = server_->url("app", database);
    route.configuration.pool.size.max = connections;
    return route;
  }
  void close() {
    if (proxy_) proxy_->close();
    proxy_.reset();
  }

  std::string url(std::string_view more = {}) const {
    return proxy_->client_url() + std::string(more);
  }
  ProxyCounters counters() { return proxy_->look(Instant()).proxy.clients(); }
  PoolStatistics pool() { return proxy_->proxy().routes().all().front()->pool().statistics(); }
  // False: it did not become so within ten seconds.
  template <class Condition>
  static bool eventually(Condition&& is_so) {
    for (int i = 0; i < 2'000; ++i) {
      if (is_so()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  static inline std::unique_ptr<embedded::PostgresServer> server_;
  std::unique_ptr<Runtime> runtime_ = std::make_unique<Runtime>();
  std::unique_ptr<cli::ServeProxy> proxy_;
};

}  // namespace forebay::proxy
