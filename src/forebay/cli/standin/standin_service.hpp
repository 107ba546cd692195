// StandinService: a stand-in with its PostgreSQL and its certificates, opened and closed in the
// right order from a thread of the application.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/cli/standin/standin_arguments.hpp"
#include "forebay/embedded/postgres_server.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/tls.hpp"
#include "forebay/standin/dynamodb/dynamodb_server.hpp"
#include "forebay/standin/standin.hpp"

namespace forebay::cli {

class StandinService {
 public:
  // Comes back when clients can call.
  static Result<std::unique_ptr<StandinService>> open(Runtime& runtime,
                                                      const StandinSettings& settings);
  StandinService(const StandinService&) = delete;
  StandinService& operator=(const StandinService&) = delete;
  ~StandinService();

  std::uint16_t port() const { return port_; }
  const std::string& certificate() const { return certificate_; }  // of the authority: a file
  // What a client's environment must say to find it, by name.
  std::vector<std::pair<std::string, std::string>> environment() const;
  std::string dynamodb_url() const;  // empty: it is not served
  std::string place() const;         // which server is behind it
  standin::StandinCounters counters();
  void close();

 private:
  StandinService(Runtime& runtime, const StandinSettings& settings);
  Result<void> start();
  Result<void> make_tls();
  Result<std::string> find_postgres();
  Result<void> reach(const std::string& url);
  Result<void> map_roles(const std::string& superuser_url);
  Task<Result<void>> listen();
  Result<void> serve_dynamodb();
  Task<standin::StandinCounters> count();

  Runtime& runtime_;
  StandinSettings settings_;
  std::unique_ptr<embedded::TemporaryFolder> folder_;
  std::string certificate_;
  std::unique_ptr<TlsServer> tls_;
  std::unique_ptr<embedded::PostgresServer> server_;
  std::unique_ptr<TlsClient> client_tls_;
  std::unique_ptr<standin::Backend> backend_;
  std::unique_ptr<standin::RoleMappings> mappings_;  // if somebody's roles depend on them
  std::unique_ptr<standin::Standin> standin_;
  sim::dynamodb::Tables tables_;
  std::unique_ptr<standin::DynamoDbServer> dynamodb_;
  std::uint16_t port_ = 0;
};

}  // namespace forebay::cli
