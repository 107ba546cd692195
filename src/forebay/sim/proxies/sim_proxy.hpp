// SimProxy: one run of a process that is a proxy: the shipping Proxy with one Route, its pool and
// its links, put together as `forebay serve` does, over simulated streams.
#pragma once

#include <memory>
#include <string>

#include "forebay/env/sim/sim_loops.hpp"
#include "forebay/proxy/proxy.hpp"
#include "forebay/sim/proxies/acquire_watch.hpp"
#include "forebay/sim/proxies/wire_side.hpp"

namespace forebay::sim {

class Tampering;

// What a simulated proxy is told when it is made.
struct SimProxyParts {
  Env env;
  WireSide& side;
  const ServiceSpec& spec;
  const DatabaseSpec& database;
  PoolOptions pool;
  PoolSharing sharing;
  Tampering& tampering;
  std::vector<LatencyHistogram*> waits;
};

class SimProxy {
 public:
  explicit SimProxy(SimProxyParts parts);
  SimProxy(const SimProxy&) = delete;
  SimProxy& operator=(const SimProxy&) = delete;

  // Where its clients find it.
  static StreamAddress place(const ServiceSpec& spec) {
    return StreamAddress::tcp(spec.name, 6432);
  }

  Pool& pool() { return route_->pool(); }
  void tell(CallerWatch* watch) { acquires_.tell(watch); }
  void listen();
  // Lets go of its clients, and closes its pool.
  Task<void> close();
  // The process has died: nothing of it reaches anybody.
  void die();
  void set_cut(bool is_cut);

  // What it still has of clients, in words; empty: nothing.
  std::string left_of_clients() const;
  std::uint64_t stays() const;
  std::uint64_t pins() const { return route_->sessions().pins; }

 private:
  WireSide& side_;
  const std::string name_;
  const StreamAddress place_;
  SimHost front_;
  SimHost back_;
  AcquireWatch acquires_;
  proxy::Proxy proxy_;
  proxy::Route* route_ = nullptr;
  Scheduler& scheduler_;
};

}  // namespace forebay::sim
