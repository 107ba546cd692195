// A stand-in before a real PostgreSQL, and clients of it by libpq.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include "forebay/aws/signing/dsql_token.hpp"
#include "forebay/cli/standin/standin_service.hpp"

namespace forebay::standin {

using namespace std::chrono_literals;

// Answers are the first value, or the command's tag; errors "SQLSTATE message / detail / context".
class Client {
 public:
  explicit Client(const std::string& conninfo) : connection_(PQconnectdb(conninfo.c_str())) {}
  Client(Client&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Client& operator=(Client&&) = delete;
  ~Client() { PQfinish(connection_); }

  bool is_connected() const { return PQstatus(connection_) == CONNECTION_OK; }
  // Of the connect, without the address in front.
  std::string problem() const {
    const std::string text = PQerrorMessage(connection_);
    const std::size_t begin = text.find("FATAL:");
    std::string rest = begin == std::string::npos ? text : text.substr(begin);
    while (rest.ends_with('\n')) rest.pop_back();
    return rest;
  }
  PGconn* get() const { return connection_; }

  std::string query(const std::string& sql) { return answer(PQexec(connection_, sql.c_str())); }
  std::string execute(const std::string& sql) {
    return answer(PQexecParams(connection_, sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0));
  }
  // Whether the server hangs up within that time.
  bool is_cut_within(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      if (PQconsumeInput(connection_) == 0) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }

 private:
  std::string answer(PGresult* result) {
    const ExecStatusType status = PQresultStatus(result);
    std::string text;
    if (status == PGRES_TUPLES_OK && PQntuples(result) > 0) {
      text = PQgetvalue(result, 0, 0);
    } else if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
      text = PQcmdStatus(result);
    } else {
      const auto field = [result](int code) {
        const char* const value = PQresultErrorField(result, code);
        return std::string(value != nullptr ? value : "");
      };
      text = field(PG_DIAG_SQLSTATE) + " " + field(PG_DIAG_MESSAGE_PRIMARY);
      if (!field(PG_DIAG_MESSAGE_DETAIL).empty()) text += " / " + field(PG_DIAG_MESSAGE_DETAIL);
      if (!field(PG_DIAG_CONTEXT).empty()) text += " / " + field(PG_DIAG_CONTEXT);
    }
    PQclear(result);
    return text;
  }

  PGconn* connection_;
};

class StandinTest : public testing::Test {
 protected:
  static constexpr const char* kHost = "localhost";

  // The PostgreSQL is the suite's, the stand-in before it the test's own.
  static void SetUpTestSuite() {
    embedded::PostgresServerOptions options;
    options.max_connections = 200;
    auto launched = embedded::PostgresServer::launch(options);
    ASSERT_TRUE(launched.has_value()) << launched.error().text();
    server_ = std::move(*launched);
  }
  static void TearDownTestSuite() { server_.reset(); }

  void TearDown() override { service_.reset(); }

  void open(const std::function<void(cli::StandinSettings&)>& change = {}) {
    std::vector<std::string> problems;
    cli::StandinSettings settings = cli::read(cli::StandinArguments(), {}, problems);
    ASSERT_TRUE(problems.empty());
    settings.listen.port = 0;
    settings.postgres = server_->superuser_url();
    if (change) change(settings);
    auto opened = cli::StandinService::open(*runtime_, settings);
    ASSERT_TRUE(opened.has_value()) << opened.error().text();
    service_ = std::move(*opened);
  }

  static std::string token(const std::string& user = "admin", const std::string& host = kHost,
                           const std::string& region = "us-east-1",
                           const std::string& secret = cli::kStandinSecret,
                           Duration age = Duration::zero()) {
    const WallTime now(std::chrono::system_clock::now().time_since_epoch() - age);
    return aws::sign_dsql_token({host, region, user}, aws::Credentials(cli::kStandinKeyId, secret),
                                now);
  }
  std::string conninfo(const std::string& password, std::string_view user = "admin",
                       std::string_view more = "") const {
    return fmt::format(
        "host={} port={} user={} dbname=postgres sslmode=verify-full sslrootcert={} password='{}' "
        "{}",
        kHost, service_->port(), user, service_->certificate(), password, more);
  }
  Client connect(std::string_view more = "") { return Client(conninfo(token(), "admin", more)); }

  static inline std::unique_ptr<embedded::PostgresServer> server_;
  std::unique_ptr<Runtime> runtime_ = std::make_unique<Runtime>();
  std::unique_ptr<cli::StandinService> service_;
};

}  // namespace forebay::standin
