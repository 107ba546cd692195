// Starts postgres directly, not through pg_ctl: as our own child it cannot outlive us.
#include "forebay/embedded/postgres_server.hpp"

#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "forebay/embedded/free_port.hpp"

namespace forebay::embedded {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kCopyLimit{60'000};
constexpr milliseconds kStartLimit{60'000};
constexpr milliseconds kStopLimit{20'000};

}  // namespace

Result<std::unique_ptr<PostgresServer>> PostgresServer::launch(PostgresServerOptions options) {
  Result<fs::path> binaries = find_binaries();
  if (!binaries) return failure(binaries.error());
  Result<std::optional<Account>> account = server_account();
  if (!account) return failure(account.error());
  auto folder = TemporaryFolder::make(*account, "forebay-pg-server");
  if (!folder) return failure(folder.error());
  std::unique_ptr<PostgresServer> server(
      new PostgresServer(std::move(options), *binaries, std::move(*folder), *account));
  Result<void> is_ready = server->prepare();
  if (is_ready) is_ready = server->start_on_free_port();
  if (!is_ready) return failure(is_ready.error());
  return server;
}

PostgresServer::PostgresServer(PostgresServerOptions options, fs::path binaries,
                               std::unique_ptr<TemporaryFolder> folder,
                               std::optional<Account> account)
    : options_(std::move(options)),
      binaries_(std::move(binaries)),
      folder_(std::move(folder)),
      account_(account) {}

PostgresServer::~PostgresServer() {
  stop(options_.data.empty() ? StopMode::immediate : StopMode::fast);
}

Result<void> PostgresServer::prepare() {
  // The kernel's limit for the name of a unix socket, less the name of the file in the folder.
  static constexpr std::size_t kLongestFolder = 107 - sizeof "/.s.PGSQL.65535";
  if (folder_->path().string().size() > kLongestFolder) {
    return failure(Errc::invalid, fmt::format("{} is too long a name for a unix socket",
                                              folder_->path().string()));
  }
  Result<void> is_copied = copy_template();
  if (!is_copied) return is_copied;
  return write_access_rules();
}

Result<void> PostgresServer::copy_template() {
  if (fs::exists(data_path() / "PG_VERSION")) return {};  // used before
  const Result<fs::path> source = find_or_make_template(binaries_, account_);
  if (!source) return failure(source.error());
  std::error_code ignored;
  if (fs::exists(data_path()) && !fs::is_empty(data_path(), ignored)) {
    return failure(Errc::invalid,
                   fmt::format("{} is not empty, and no data of PostgreSQL", data_path().string()));
  }
  const Command copy{
      {"/bin/cp", "-a", source->string() + "/.", data_path().string()}, account_, log_path()};
  return run_to_end(copy, kCopyLimit);
}

Result<void> PostgresServer::write_access_rules() const {
  const fs::path path = folder_->path() / "pg_hba.conf";
  std::ofstream(path) << "local all all trust\n"
                      << "host all postgres 127.0.0.1/32 reject\n"
                      << "host all all 127.0.0.1/32 " << options_.authentication << "\n";
  const bool is_owned = !account_ || ::chown(path.c_str(), account_->user, account_->group) == 0;
  if (is_owned && fs::exists(path)) return {};
  return failure(Errc::invalid, fmt::format("cannot write {}", path.string()));
}

Command PostgresServer::server_command() const {
  std::vector<std::pair<std::string, std::string>> settings{
      {"listen_addresses", "127.0.0.1"},
      {"port", std::to_string(port_)},
      {"unix_socket_directories", folder_->path().string()},
      {"hba_file", (folder_->path() / "pg_hba.conf").string()},
      {"max_connections", std::to_string(options_.max_connections)},
      {"superuser_reserved_connections", std::to_string(options_.superuser_reserved_connections)},
      {"max_wal_senders", "0"},  // must stay below max_connections
      {"wal_level", "minimal"},
      // Commits reach the operating system, not the disk: they survive an immediate stop. (With
      // synchronous_commit=off they would not.)
      {"fsync", "off"},
      {"full_page_writes", "off"},
      {"shared_buffers", "16MB"},
      {"jit", "off"},
  };
  settings.insert(settings.end(), options_.settings.begin(), options_.settings.end());
  Command command{
      {(binaries_ / "postgres").string(), "-D", data_path().string()}, account_, log_path()};
  for (const auto& [name, value] : settings)
    command.words.push_back(fmt::format("--{}={}", name, value));
  command.signal_if_orphaned = SIGQUIT;  // an immediate stop, in which it ends its own children
  return command;
}

Result<void> PostgresServer::start_on_free_port() {
  Result<void> outcome = failure(Errc::invalid, "no free port on 127.0.0.1");
  // Between the look at a port and its use another process may take it.
  static constexpr int kAttempts = 5;
  for (int attempt = 0; attempt < kAttempts && !outcome; ++attempt) {
    port_ = next_free_port();
    if (port_ == 0) break;
    outcome = start();
    if (!outcome && !log_text().contains("could not bind")) break;
  }
  return outcome;
}

Result<void> PostgresServer::start() {
  if (is_running()) return {};
  process_.reset();
  Result<ChildProcess> process = ChildProcess::start(server_command());
  if (!process) return failure(process.error());
  process_.emplace(std::move(*process));
  return wait_until_ready();
}

Result<void> PostgresServer::wait_until_ready() {
  static constexpr milliseconds kInterval{5};
  for (auto waited = kInterval.zero(); waited < kStartLimit && is_running(); waited += kInterval) {
    // As pg_ctl does: the first line of the file is the process, the last its state.
    const std::string status = read_file(data_path() / "postmaster.pid");
    const std::string own_pid = std::to_string(process_->pid()) + "\n";
    if (status.starts_with(own_pid) && status.contains("\nready")) return {};
    pause(kInterval);
  }
  const std::string_view what = is_running() ? "is not ready in time" : "did not start";
  stop(StopMode::immediate);
  return failure(Errc::invalid, fmt::format("PostgreSQL {}: {}", what, log_text()));
}

void PostgresServer::stop(StopMode mode) {
  if (is_running()) {
    process_->send(mode == StopMode::fast ? SIGINT : SIGQUIT);
    process_->wait(kStopLimit);
  }
  process_.reset();  // kills it if it would not listen
}

bool PostgresServer::is_running() { return process_ && !process_->exit_status(); }

std::string PostgresServer::url(std::string_view user, std::string_view database,
                                std::string_view password) const {
  const std::string secret = password.empty() ? "" : fmt::format(":{}", password);
  return fmt::format("postgresql://{}{}@127.0.0.1:{}/{}", user, secret, port_, database);
}

std::string PostgresServer::superuser_url(std::string_view database) const {
  return fmt::format("host={} port={} user=postgres dbname={}", folder_->path().string(), port_,
                     database);
}

}  // namespace forebay::embedded
