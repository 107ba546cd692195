// DynamoWorld: the stores of several processes on one DynamoDB table, real or simulated. Each
// process has a client of its own and a way that can lose answers.
#pragma once

#include <deque>
#include <string>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/coordination/leases/dynamo_lease_store.hpp"
#include "forebay/coordination/nodes/dynamo_node_store.hpp"
#include "forebay/coordination/rate/dynamo_rate_store.hpp"
#include "support/dropping_http.hpp"
#include "support/store_world.hpp"

namespace forebay::test {

inline constexpr char kEndpoint[] = "cluster.dsql.eu-west-1.on.aws";

class DynamoWorld : public StoreWorld {
 public:
  struct Surroundings {
    Env env;
    HttpTransport& http;
    aws::CredentialsProvider& credentials;
    aws::DynamoDbOptions options;
    std::string table;
    RateLimits limits;
  };
  struct Process {
    explicit Process(const Surroundings& around)
        : way(around.http),
          client(around.env, way, around.credentials, around.options),
          leases(client, around.table, kEndpoint),
          rates(around.env, client, around.table, kEndpoint, around.limits),
          nodes(client, around.table, kEndpoint) {}

    DroppingHttp way;
    aws::DynamoDb client;
    DynamoLeaseStore leases;
    DynamoRateStore rates;
    DynamoNodeStore nodes;
  };

  LeaseStore& leases(std::size_t process = 0) override { return processes_.at(process).leases; }
  RateStore& rates(std::size_t process = 0) override { return processes_.at(process).rates; }
  NodeStore& nodes(std::size_t process = 0) override { return processes_.at(process).nodes; }
  Process& process(std::size_t number = 0) { return processes_.at(number); }
  virtual std::string table() const = 0;

  // What everybody's writes have cost so far.
  double write_units() const {
    double sum = 0;
    for (const Process& process : processes_) sum += process.client.usage().write_units;
    return sum;
  }

 protected:
  void add_process(const Surroundings& around) { processes_.emplace_back(around); }
  void remove_processes() { processes_.clear(); }

 private:
  std::deque<Process> processes_;
};

using MakeDynamoWorld = std::unique_ptr<DynamoWorld> (*)(RateLimits limits);

}  // namespace forebay::test
