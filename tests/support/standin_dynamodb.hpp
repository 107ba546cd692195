// StandinDynamoDb: our own DynamoDB, in this process: a thread and nothing else.
// StandinDynamoWorld: a client of it with a table of its own.
//
// It answers as Amazon's does: tests/sim_dynamodb_real compares the two.
#pragma once

#include <future>
#include <memory>
#include <optional>

#include "forebay/detail/env/detached.hpp"
#include "forebay/standin/dynamodb/dynamodb_server.hpp"
#include "support/dynamodb_service.hpp"

namespace forebay::test {

class StandinDynamoDb final : public DynamoDbService {
 public:
  // Made at the first call.
  static StandinDynamoDb& shared() {
    static StandinDynamoDb server;
    return server;
  }
  explicit StandinDynamoDb(standin::DynamoDbServerOptions options = {})
      : options_(std::move(options)) {
    start();
  }
  ~StandinDynamoDb() override { thaw(); }

  int port() const override { return options_.port; }
  void stop() override {
    thaw();
    server_.reset();
  }
  void start() override {
    if (server_) return;
    auto opened = standin::DynamoDbServer::open(runtime_, tables_, options_);
    FOREBAY_CHECK(opened.has_value(), opened.error().text());
    server_ = std::move(*opened);
    options_.port = server_->port();
  }
  // Its only thread waits. The system still lets callers in.
  void freeze() override {
    std::promise<void> frozen;
    std::future<void> is_frozen = frozen.get_future();
    thawed_.emplace();
    start_detached(runtime_.scheduler(),
                   stand_still(std::move(frozen), thawed_->get_future().share()));
    is_frozen.wait();
  }
  void thaw() override {
    if (thawed_) thawed_->set_value();
    thawed_.reset();
  }

 private:
  static Task<void> stand_still(std::promise<void> frozen, std::shared_future<void> thawed) {
    frozen.set_value();
    thawed.wait();
    co_return;
  }

  standin::DynamoDbServerOptions options_;
  sim::dynamodb::Tables tables_;
  Runtime runtime_;
  std::unique_ptr<standin::DynamoDbServer> server_;
  std::optional<std::promise<void>> thawed_;
};

class StandinDynamoWorld : public DynamoClientWorld {
 public:
  StandinDynamoWorld() : DynamoClientWorld(StandinDynamoDb::shared()) {}
};

}  // namespace forebay::test
