// What the tests against a real server share: the server, a runtime, and words for
// "connect" and "ask".
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "forebay/embedded/postgres_server.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/postgres/driver/libpq_connection.hpp"
#include "forebay/postgres/driver/libpq_connector.hpp"

namespace forebay::postgres {

using namespace std::chrono_literals;
using embedded::PostgresServer;
using embedded::PostgresServerOptions;

// Long enough for a busy machine under a sanitizer, short enough to fail a test.
inline constexpr Duration kPatience = 30s;

inline ConnectionString target(const std::string& text) {
  Result<ConnectionString> parsed = ConnectionString::parse(text);
  FOREBAY_CHECK(parsed.has_value(), parsed.error().text());
  return std::move(*parsed);
}

// A connector, and the loop it lives on. Everything it does runs on the loop; the test waits.
class Client {
 public:
  Client(Runtime& runtime, const std::string& url, BlockingLane* lane = nullptr,
         const ServerProfile& profile = ServerProfile::postgresql(),
         const LibpqSettings& settings = {})
      : runtime_(runtime),
        connector_(LibpqEnv{runtime.scheduler(), runtime.descriptors(),
                            lane ? *lane : runtime.lane(), runtime.names()},
                   target(url), profile, settings) {}

  Instant in(Duration time) const { return deadline_after(runtime_.scheduler().now(), time); }
  LibpqConnector& connector() { return connector_; }
  Runtime& runtime() { return runtime_; }

  Result<std::unique_ptr<LibpqConnection>> try_connect(Duration timeout = kPatience,
                                                       const std::string& password = "") {
    Result<std::unique_ptr<Connection>> connection =
        run_blocking(runtime_.scheduler(), connector_.connect(password, in(timeout)));
    if (!connection) return failure(connection.error());
    auto* typed = static_cast<LibpqConnection*>(connection->release());
    return std::unique_ptr<LibpqConnection>(typed);
  }

  // Closed on the loop when the test is done with it.
  struct Closer {
    Client* client = nullptr;
    void operator()(LibpqConnection* connection) const {
      client->close(*connection);
      delete connection;
    }
  };
  using OpenConnection = std::unique_ptr<LibpqConnection, Closer>;

  OpenConnection connect() {
    Result<std::unique_ptr<LibpqConnection>> connection = try_connect();
    FOREBAY_CHECK(connection.has_value(), connection.error().text());
    return OpenConnection(connection->release(), Closer{this});
  }

  void close(LibpqConnection& connection, Duration timeout = kPatience) {
    run_blocking(runtime_.scheduler(), connection.close(in(timeout)));
  }
  Result<QueryResult> exec(LibpqConnection& connection, std::string sql, Parameters parameters = {},
                           Duration timeout = kPatience) {
    return run_blocking(runtime_.scheduler(),
                        connection.exec(std::move(sql), std::move(parameters), in(timeout)));
  }
  Result<void> reset(LibpqConnection& connection, Duration timeout = kPatience) {
    return run_blocking(runtime_.scheduler(), connection.reset(in(timeout)));
  }
  Result<void> check(LibpqConnection& connection, Duration timeout = kPatience) {
    return run_blocking(runtime_.scheduler(), connection.check(in(timeout)));
  }

 private:
  Runtime& runtime_;
  LibpqConnector connector_;
};

// The first value of a result, or what went wrong.
inline std::string first_value(const Result<QueryResult>& result) {
  if (!result) return "error: " + result.error().text();
  if (result->rows() == 0) return "no rows";
  return std::string(result->value(0, 0).value_or("null"));
}

// One server for all tests of a suite; the test's own role is "app" with the password "hunter2".
class PostgresTest : public ::testing::Test {
 protected:
  static void launch(PostgresServerOptions options) {
    auto launched = PostgresServer::launch(std::move(options));
    ASSERT_TRUE(launched) << launched.error().text();
    server_ = std::move(*launched);
    Runtime runtime;
    Client superuser(runtime, server_->superuser_url());
    const auto made =
        superuser.connect()->exec_blocking("CREATE ROLE app LOGIN PASSWORD 'hunter2'", kPatience);
    ASSERT_TRUE(made) << made.error().text();
  }
  static void TearDownTestSuite() { server_.reset(); }

  static std::string app_url() { return server_->url("app", "postgres", "hunter2"); }

  static inline std::unique_ptr<PostgresServer> server_;
};

// One connection of "app" for each test, on a server that the suite shares.
class SessionTest : public PostgresTest {
 protected:
  static void SetUpTestSuite() { launch(PostgresServerOptions{}); }

  Instant soon() const { return client_.in(kPatience); }
  template <class T>
  T run(Task<T> task) {
    return run_blocking(runtime_.scheduler(), std::move(task));
  }
  void run(const std::string& sql) {
    const auto done = connection_->exec_blocking(sql, kPatience);
    ASSERT_TRUE(done) << done.error().text();
  }
  // A session that holds an advisory lock: others that ask for it wait, for as long as the
  // session lives.
  static constexpr const char* kWaitForLock = "SELECT pg_advisory_xact_lock(7)::text";
  Client::OpenConnection hold_lock() {
    Client::OpenConnection holder = client_.connect();
    const auto held = holder->exec_blocking("SELECT pg_advisory_lock(7)", kPatience);
    FOREBAY_CHECK(held.has_value(), held.error().text());
    return holder;
  }
  std::string ask(const std::string& sql) { return first_value(client_.exec(*connection_, sql)); }

  Runtime runtime_;
  Client client_{runtime_, app_url()};
  Client::OpenConnection connection_ = client_.connect();
};

template <class T>
Error error_of(const Result<T>& result) {
  return result ? Error(Errc::invalid, "no error") : result.error();
}

}  // namespace forebay::postgres
