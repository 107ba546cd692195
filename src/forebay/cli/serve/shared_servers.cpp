#include "forebay/cli/serve/shared_servers.hpp"

#include <fmt/format.h>

namespace forebay::cli {

Result<PoolSharing> SharedServers::join(Runtime& runtime, const Configuration& configuration) {
  const Result<postgres::ConnectionString> target = configuration.database.connection();
  if (!target) return failure(target.error());
  Server& server = servers_[fmt::format("{}:{}", target->host(), target->port())];
  PoolSharing sharing;
  if (configuration.cluster) {
    Result<PoolSharing> joined = join_cluster(runtime, *configuration.cluster, server);
    if (!joined) return joined;
    sharing = std::move(*joined);
  }
  const PoolOptions& pool = configuration.pool;
  if (sharing.permits != nullptr || *pool.connect_rate <= 0) return sharing;
  if (!server.pacer)
    server.pacer = std::make_unique<ConnectPacer>(*pool.connect_rate, *pool.connect_burst);
  sharing.pacer = server.pacer.get();
  return sharing;
}

// One for all, but that each makes the tokens of one role.
Result<PoolSharing> SharedServers::join_cluster(Runtime& runtime, const ClusterOptions& options,
                                                Server& server) {
  if (!server.cluster) {
    Result<std::unique_ptr<Cluster>> opened = Cluster::open(runtime, options);
    if (!opened) return failure(std::move(opened).error());
    server.cluster = std::move(*opened);
    server.user = options.user;
  }
  PoolSharing sharing = server.cluster->sharing();
  if (options.user == server.user) return sharing;
  sharing.tokens = nullptr;
  if (options.user.empty()) return sharing;
  std::unique_ptr<Cluster>& tokens = server.tokens[options.user];
  if (!tokens) {
    ClusterOptions alone = options;
    alone.lease_table.clear();
    alone.rate_table.clear();
    Result<std::unique_ptr<Cluster>> opened = Cluster::open(runtime, alone);
    if (!opened) return failure(std::move(opened).error());
    tokens = std::move(*opened);
  }
  sharing.tokens = tokens->sharing().tokens;
  return sharing;
}

std::vector<Cluster*> SharedServers::clusters() const {
  std::vector<Cluster*> all;
  for (const auto& [name, server] : servers_)
    if (server.cluster) all.push_back(server.cluster.get());
  return all;
}

}  // namespace forebay::cli
