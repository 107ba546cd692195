// SharedServers: what the routes to one server have in common, so that its limits hold for all of
// them together: the cluster that shares connections and rate with other processes, or else the
// rate of this process; and the tokens of each role.
//
// Made, used and destroyed on a thread of the application. It outlives the pools.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "forebay/cluster.hpp"
#include "forebay/config/configuration.hpp"
#include "forebay/core/connect_pacer.hpp"

namespace forebay::cli {

class SharedServers {
 public:
  // What the pool of a route is made with. REQUIRES: the configuration is completed and right, and
  // routes to one server agree about it.
  Result<PoolSharing> join(Runtime& runtime, const Configuration& configuration);

  // Those that share limits or make tokens, one for each server.
  std::vector<Cluster*> clusters() const;

 private:
  struct Server {
    std::unique_ptr<Cluster> cluster;
    std::string user;  // whose tokens the cluster makes; empty: it makes none
    std::map<std::string, std::unique_ptr<Cluster>> tokens;  // of the other roles
    std::unique_ptr<ConnectPacer> pacer;
  };
  static Result<PoolSharing> join_cluster(Runtime& runtime, const ClusterOptions& options,
                                          Server& server);

  std::map<std::string, Server> servers_;  // by host and port
};

}  // namespace forebay::cli
