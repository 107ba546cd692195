// DynamoDbLocal: Amazon's own DynamoDB for one machine, started once for a test program, on a free
// port and in a temporary folder. DynamoDbLocalWorld: a client of it with a table of its own.
//
// What is written is still there after stop() and start(). Use it from the main thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/embedded/server_files.hpp"
#include "forebay/embedded/server_process.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::test {

class DynamoDbLocal {
 public:
  // Started at the first call. A test program without it fails: it stops, and says why.
  static DynamoDbLocal& shared();
  ~DynamoDbLocal();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int port() const { return port_; }
  aws::DynamoDbOptions options() const;
  std::string fresh_table_name();

  // An outage: nobody listens on its port until it is started again.
  void stop();
  void start();
  // A hang: it accepts connections and does not answer until it is thawed.
  void freeze();
  void thaw();

 private:
  DynamoDbLocal();
  bool try_to_start();

  std::unique_ptr<embedded::TemporaryFolder> folder_;
  std::optional<embedded::ChildProcess> process_;
  int port_ = 0;
  int tables_ = 0;
};

class DynamoDbLocalWorld {
 public:
  // Long enough for a busy machine under a sanitizer, short enough to fail a test.
  static constexpr Duration kPatience = std::chrono::seconds(30);

  // The table is there already.
  DynamoDbLocalWorld();

  Instant in(Duration time) { return deadline_after(runtime.scheduler().now(), time); }
  Instant soon() { return in(kPatience); }

  template <class T>
  T run(Task<T> task) {
    return run_blocking(runtime.scheduler(), std::move(task));
  }

  DynamoDbLocal& server = DynamoDbLocal::shared();
  Runtime runtime;
  aws::StaticCredentials credentials{aws::Credentials("local", "secret")};
  aws::DynamoDb client{runtime.env(), runtime.http(), credentials, server.options()};
  const std::string table = server.fresh_table_name();
};

}  // namespace forebay::test
