// PostgresServer: a throw-away PostgreSQL of this process alone, in a temporary folder, on
// a free port.
//
// It ends with this process, however that ends, and its destructor deletes everything, but for data
// that were to stay. Any number
// may run at once, in any number of processes. The superuser can come in only through the unix
// socket, in a folder that is closed to other users; over TCP (127.0.0.1) everybody else can. Not
// thread-safe; start it from a thread that lives as long as the server should.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/embedded/server_files.hpp"
#include "forebay/embedded/server_process.hpp"

namespace forebay::embedded {

struct PostgresServerOptions {
  int max_connections = 100;
  int superuser_reserved_connections = 3;
  std::string authentication = "trust";  // over TCP, a method of pg_hba.conf: "scram-sha-256" …
  std::vector<std::pair<std::string, std::string>> settings;  // anything of postgresql.conf
  std::filesystem::path data;  // a folder that stays, new or used before; empty: one that goes
};

class PostgresServer {
 public:
  enum class StopMode : std::uint8_t {
    fast,      // sessions are told and ended
    immediate  // as if it had crashed
  };

  // Makes the data folder and starts the server. Errc::invalid: PostgreSQL is missing or does not
  // start; the text says why.
  static Result<std::unique_ptr<PostgresServer>> launch(PostgresServerOptions options = {});
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  // Starts a stopped server again, on the same port and with the same data.
  Result<void> start();
  void stop(StopMode mode = StopMode::fast);
  bool is_running();

  std::uint16_t port() const { return port_; }
  std::string url(std::string_view user, std::string_view database,
                  std::string_view password = {}) const;
  std::string superuser_url(std::string_view database = "postgres") const;
  std::string log_text() const { return read_file(log_path()); }

 private:
  PostgresServer(PostgresServerOptions options, std::filesystem::path binaries,
                 std::unique_ptr<TemporaryFolder> folder, std::optional<Account> account);
  Result<void> prepare();
  Result<void> copy_template();
  Result<void> write_access_rules() const;
  Result<void> start_on_free_port();
  Result<void> wait_until_ready();
  Command server_command() const;
  std::filesystem::path data_path() const {
    return options_.data.empty() ? folder_->path() / "data" : options_.data;
  }
  std::filesystem::path log_path() const { return folder_->path() / "log"; }

  const PostgresServerOptions options_;
  const std::filesystem::path binaries_;
  const std::unique_ptr<TemporaryFolder> folder_;
  const std::optional<Account> account_;
  std::uint16_t port_ = 0;
  std::optional<ChildProcess> process_;
};

}  // namespace forebay::embedded
