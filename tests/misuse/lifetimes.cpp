// What is destroyed too early, or too late.
#include <cstdlib>

#include "forebay/cluster.hpp"
#include "misuse/misuse.hpp"

namespace forebay::misuse {
namespace {

void pool_before_session(const std::string& url) {
  Runtime runtime;
  std::unique_ptr<PostgresPool> pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  pool.reset();
}

void exit_with_session(const std::string& url) {
  static Runtime runtime;
  static std::unique_ptr<PostgresPool> pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  std::exit(0);
}

void runtime_before_pool(const std::string& url) {
  auto runtime = std::make_unique<Runtime>();
  std::unique_ptr<PostgresPool> pool = open_pool(*runtime, url);
  runtime.reset();
  PooledSession session = acquire(*pool);
  print(answer(session, "SELECT 'answered all the same'"));
}

// Its DynamoDB is the test's. The lease goes back when the pool is gone.
void cluster_before_pool(const std::string& url) {
  Runtime runtime;
  ClusterOptions shared;
  shared.endpoint = "test.example";
  shared.lease_table = shared.rate_table = std::getenv("FOREBAY_MISUSE_TABLE");
  shared.region = "eu-west-1";
  shared.dynamodb_url = std::getenv("FOREBAY_MISUSE_DYNAMODB");
  shared.stagger = Duration::zero();
  shared.credentials.emplace("local", "secret");
  auto cluster = Cluster::open(runtime, shared);
  if (!cluster) return print(cluster.error());
  auto pool = PostgresPool::open(runtime, url, {}, (*cluster)->sharing());
  if (!pool) return print(pool.error());
  PooledSession first = acquire(**pool);
  cluster->reset();
  PooledSession second = acquire(**pool);
  print(answer(first, "SELECT 'answered'") + " " + answer(second, "SELECT 'all the same'"));
}

}  // namespace

std::vector<Program> lifetime_programs() {
  return {{"pool-before-session", &pool_before_session},
          {"exit-with-session", &exit_with_session},
          {"runtime-before-pool", &runtime_before_pool},
          {"cluster-before-pool", &cluster_before_pool}};
}

}  // namespace forebay::misuse
