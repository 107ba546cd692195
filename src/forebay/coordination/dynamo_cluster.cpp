#include "forebay/coordination/dynamo_cluster.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/aws/credentials/default_credentials.hpp"
#include "forebay/aws/endpoint.hpp"
#include "forebay/aws/region.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay {
namespace {

std::unique_ptr<aws::CredentialsProvider> make_credentials(const aws::AwsEnv& env,
                                                           const ClusterOptions& options) {
  if (options.credentials) return std::make_unique<aws::StaticCredentials>(*options.credentials);
  return aws::default_credentials(env.env, env.http, env.machine);
}

aws::DsqlTokenRequest token_request(const ClusterOptions& options, const std::string& region) {
  aws::DsqlTokenRequest request;
  request.endpoint = options.endpoint;
  request.region = region;
  request.user = options.user;
  request.lifetime = options.token_lifetime;
  return request;
}

Task<void> keep(Task<bool> task, bool& result) { result = co_await std::move(task); }

}  // namespace

Task<Result<std::unique_ptr<DynamoCluster>>> DynamoCluster::open(aws::AwsEnv env,
                                                                 ClusterOptions options,
                                                                 Instant deadline) {
  const OptionProblems wrong = problems(options);
  if (!wrong.empty()) co_return failure(invalid_options(wrong));
  aws::RegionHints hints(options.region, options.endpoint);
  Result<std::string> region = co_await aws::find_region(env, std::move(hints), deadline);
  if (!region) co_return failure(std::move(region.error()));
  Result<std::string> url = options.dynamodb_url;
  if (url->empty()) url = co_await aws::find_endpoint_url(env, "dynamodb", *region);
  if (!url) co_return failure(std::move(url.error()));
  std::unique_ptr<DynamoCluster> cluster(
      new DynamoCluster(env, options, std::move(*region), std::move(*url)));
  cluster->member_->start();
  if (cluster->node_) cluster->node_->start();
  co_return cluster;
}

DynamoCluster::DynamoCluster(const aws::AwsEnv& env, const ClusterOptions& options,
                             std::string region, std::string dynamodb_url)
    : scheduler_(env.env.scheduler),
      endpoint_(options.endpoint),
      region_(std::move(region)),
      credentials_(make_credentials(env, options)) {
  client_.emplace(env.env, env.http, *credentials_,
                  aws::DynamoDbOptions{region_, std::move(dynamodb_url)});
  MemberStores stores;
  if (!options.lease_table.empty()) {
    stores.leases = &leases_.emplace(*client_, options.lease_table, options.endpoint);
  }
  if (!options.rate_table.empty()) {
    stores.rate = &rate_.emplace(env.env, *client_, options.rate_table, options.endpoint,
                                 rate_limits(options));
  }
  if (!options.id_table.empty()) {
    nodes_.emplace(*client_, options.id_table,
                   options.id_scope.empty() ? options.endpoint : options.id_scope);
    node_.emplace(env.env, *nodes_, NodeLeaseOptions(options));
    ids_.emplace(env.env.wall_clock, *node_, options.ids);
  }
  if (!options.user.empty()) {
    tokens_.emplace(env.env, *credentials_, token_request(options, region_));
  }
  member_.emplace(env.env, stores, options, tokens_ ? &*tokens_ : nullptr);
}

DynamoCluster::~DynamoCluster() = default;

SnowflakeGenerator& DynamoCluster::ids() {
  FOREBAY_CHECK(ids_.has_value(), "a cluster without an id_table makes no ids");
  return *ids_;
}

Task<Result<int>> DynamoCluster::wait_for_node(Instant deadline) {
  FOREBAY_CHECK(node_.has_value(), "a cluster without an id_table has no node number");
  return node_->wait_for_node(deadline);
}

Task<bool> DynamoCluster::close(Instant deadline) {
  // At once: each of them may need all the time that there is.
  bool is_released = false;
  bool is_node_free = true;
  TaskGroup group(scheduler_);
  group.spawn(keep(member_->close(deadline), is_released));
  if (node_) group.spawn(keep(node_->close(deadline), is_node_free));
  co_await group.join();
  co_await credentials_->close();
  co_return is_released&& is_node_free;
}

ClusterStatistics DynamoCluster::statistics() const {
  ClusterStatistics result;
  static_cast<MemberStatistics&>(result) = member_->statistics();
  result.endpoint = endpoint_;
  result.has_tokens = tokens_.has_value();
  if (tokens_) result.tokens = tokens_->usage();
  result.dynamodb = client_->usage();
  return result;
}

}  // namespace forebay
