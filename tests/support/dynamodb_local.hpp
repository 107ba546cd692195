// DynamoDbLocal: Amazon's own DynamoDB for one machine, started once for a test program, on a free
// port and in a temporary folder. It needs Java, which takes its time: tests whose promise does not
// depend on Amazon's own code use the stand-in.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "forebay/embedded/server_files.hpp"
#include "forebay/embedded/server_process.hpp"
#include "support/dynamodb_service.hpp"

namespace forebay::test {

class DynamoDbLocal final : public DynamoDbService {
 public:
  // Started at the first call. A test program without it fails: it stops, and says why.
  static DynamoDbLocal& shared();
  ~DynamoDbLocal() override;

  int port() const override { return port_; }
  void stop() override;
  void start() override;
  void freeze() override;
  void thaw() override;

 private:
  DynamoDbLocal();
  bool try_to_start();

  std::unique_ptr<embedded::TemporaryFolder> folder_;
  std::optional<embedded::ChildProcess> process_;
  int port_ = 0;
};

class DynamoDbLocalWorld : public DynamoClientWorld {
 public:
  DynamoDbLocalWorld() : DynamoClientWorld(DynamoDbLocal::shared()) {}
};

}  // namespace forebay::test
