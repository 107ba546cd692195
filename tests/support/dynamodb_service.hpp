// DynamoDbService: a DynamoDB that answers over HTTP on this machine, whoever made it.
// DynamoClientWorld: a client of it with a table of its own.
//
// What is written is still there after stop() and start(). Use it from the main thread.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::test {

class DynamoDbService {
 public:
  virtual ~DynamoDbService() = default;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }
  virtual int port() const = 0;
  aws::DynamoDbOptions options() const { return {"eu-west-1", url()}; }
  std::string fresh_table_name() { return "table-" + std::to_string(++tables_); }

  // An outage: nobody listens on its port until it is started again.
  virtual void stop() = 0;
  virtual void start() = 0;
  // A hang: it accepts connections and does not answer until it is thawed.
  virtual void freeze() = 0;
  virtual void thaw() = 0;

 private:
  int tables_ = 0;
};

class DynamoClientWorld {
 public:
  // Long enough for a busy machine under a sanitizer, short enough to fail a test.
  static constexpr Duration kPatience = std::chrono::seconds(30);

  // The table is there already.
  explicit DynamoClientWorld(DynamoDbService& service) : server(service) {
    const Result<void> created = run(client.create_table(table, soon()));
    FOREBAY_CHECK(created.has_value(), created.error().text());
  }

  Instant in(Duration time) { return deadline_after(runtime.scheduler().now(), time); }
  Instant soon() { return in(kPatience); }

  template <class T>
  T run(Task<T> task) {
    return run_blocking(runtime.scheduler(), std::move(task));
  }

  DynamoDbService& server;
  Runtime runtime;
  aws::StaticCredentials credentials{aws::Credentials("local", "secret")};
  aws::DynamoDb client{runtime.env(), runtime.http(), credentials, server.options()};
  const std::string table = server.fresh_table_name();
};

}  // namespace forebay::test
