// DynamoDbServer: serves the simulated DynamoDB over HTTP, to any client of AWS.
//
//   sim::dynamodb::Tables tables;
//   auto server = standin::DynamoDbServer::open(runtime, tables, {});
//   // AWS_ENDPOINT_URL_DYNAMODB=(*server)->url()
//
// It answers whoever signs, with any keys, for any region: all of them see the same tables. What is
// in these outlives it, so that it can go away and come back, and nothing is written to disk. It
// runs on the runtime's first loop, one request after the other: each is atomic. A request is at
// most 16 MB; who takes longer than ten seconds to send it, or to take the answer, is dropped.
//
// Made and destroyed on a thread of the application.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "forebay/env/real/runtime.hpp"
#include "forebay/sim/dynamodb/tables.hpp"

namespace forebay::standin {

class DynamoDbServerOptions {
 public:
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free
  // How often items whose time is over are looked for. The real one takes days.
  Duration expiry_interval = std::chrono::minutes(1);
};

class DynamoDbServer {
 public:
  // Errc::invalid: the address makes no sense; Errc::refused: it is taken or may not be used.
  // Tables outlive the server, and are its own meanwhile.
  static Result<std::unique_ptr<DynamoDbServer>> open(Runtime& runtime,
                                                      sim::dynamodb::Tables& tables,
                                                      const DynamoDbServerOptions& options);
  DynamoDbServer(const DynamoDbServer&) = delete;
  DynamoDbServer& operator=(const DynamoDbServer&) = delete;
  ~DynamoDbServer();  // hangs up on everybody

  std::uint16_t port() const;
  std::string url() const;  // "http://127.0.0.1:8000"

 private:
  struct Parts;
  explicit DynamoDbServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace forebay::standin
