// AwsAccess: credentials, a region and a DynamoDB client for a command, as other programs on this
// machine would find them.
//
// Used by one thread, which waits for each answer.
#pragma once

#include <memory>
#include <string>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::cli {

class AwsAccess {
 public:
  // The region: as told, or else that of the cluster's host, or the machine's own.
  static Result<std::unique_ptr<AwsAccess>> open(const std::string& region, const std::string& host,
                                                 Duration timeout);
  AwsAccess(const AwsAccess&) = delete;
  AwsAccess& operator=(const AwsAccess&) = delete;
  ~AwsAccess();

  const std::string& region() const { return region_; }
  aws::CredentialsProvider& credentials() { return *credentials_; }
  aws::DynamoDb& dynamodb() { return *dynamodb_; }
  Env env() { return runtime_.env(); }

  Instant deadline() { return deadline_after(runtime_.scheduler().now(), timeout_); }
  template <class T>
  T wait_for(Task<T> task) {
    return run_blocking(runtime_.scheduler(), std::move(task));
  }

 private:
  explicit AwsAccess(Duration timeout) : timeout_(timeout) {}

  Runtime runtime_;
  const Duration timeout_;  // of each request
  std::string region_;
  std::unique_ptr<aws::CredentialsProvider> credentials_;
  std::unique_ptr<aws::DynamoDb> dynamodb_;
};

}  // namespace forebay::cli
