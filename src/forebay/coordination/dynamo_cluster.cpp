#include "forebay/coordination/dynamo_cluster.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/aws/default_credentials.hpp"
#include "forebay/aws/endpoint.hpp"
#include "forebay/aws/region.hpp"
#include "forebay/base/check.hpp"

namespace forebay {
namespace {

std::unique_ptr<aws::CredentialsProvider> make_credentials(const aws::AwsEnv& env,
                                                           const ClusterOptions& options) {
  if (options.credentials) return std::make_unique<aws::StaticCredentials>(*options.credentials);
  return aws::default_credentials(env.env, env.http, env.machine);
}

MemberOptions member_options(const ClusterOptions& options) {
  MemberOptions member;
  member.leases.lease_id = options.member.empty() ? options.service : options.member;
  member.leases.service = options.service;
  member.leases.limit = options.limit;
  member.leases.ttl = options.ttl;
  member.leases.session_linger = session_linger(options);
  member.leases.request_timeout = options.request_timeout;
  member.leases.on_absence = options.on_absence;
  member.leases.on_loss = options.on_loss;
  member.leases.fence_before = fence_before(options);
  member.rate.connects_per_second = options.connects_per_second;
  member.rate.request_timeout = options.request_timeout;
  member.rate.max_wait = options.max_wait;
  member.rate.stagger = options.stagger;
  member.rate.is_wall_clock_followed = options.rate_mode == RateMode::window;
  member.rate.on_absence = options.on_absence;
  return member;
}

NodeLeaseOptions node_options(const ClusterOptions& options) {
  NodeLeaseOptions node;
  node.service = options.member.empty() ? options.service : options.member;
  node.ttl = options.ttl;
  node.request_timeout = options.request_timeout;
  node.max_ahead = options.ids.max_ahead;
  return node;
}

RateLimits rate_limits(const ClusterOptions& options) {
  RateLimits limits;
  limits.connects_per_second = options.connects_per_second;
  limits.burst = options.burst;
  limits.mode = options.rate_mode;
  return limits;
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
  const std::vector<std::string> wrong = problems(options);
  if (!wrong.empty()) co_return failure(Errc::invalid, fmt::format("{}", fmt::join(wrong, "\n")));
  aws::RegionHints hints(options.region, options.endpoint);
  Result<std::string> region = co_await aws::find_region(env, std::move(hints), deadline);
  if (!region) co_return failure(std::move(region.error()));
  std::string url = options.dynamodb_url;
  if (url.empty()) url = co_await aws::find_endpoint_url(env, "dynamodb", *region);
  std::unique_ptr<DynamoCluster> cluster(
      new DynamoCluster(env, options, std::move(*region), std::move(url)));
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
    node_.emplace(env.env, *nodes_, node_options(options));
    ids_.emplace(env.env.wall_clock, *node_, options.ids);
  }
  if (!options.user.empty()) {
    tokens_.emplace(env.env, *credentials_, token_request(options, region_));
  }
  member_.emplace(env.env, stores, member_options(options), tokens_ ? &*tokens_ : nullptr);
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
