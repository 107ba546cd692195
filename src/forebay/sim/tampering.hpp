// Tampering: seams at which a test replaces a part of a simulated process by one with a bug in it,
// to see that the promises' checks can fail. The parts it returns live as long as it does.
#pragma once

#include <memory>

#include "forebay/coordination/cluster_options.hpp"
#include "forebay/env/stream_network.hpp"
#include "forebay/pool/admission.hpp"
#include "forebay/pool/observer.hpp"
#include "forebay/pool/options.hpp"
#include "forebay/postgres/driver/server_profile.hpp"
#include "forebay/proxy/route.hpp"
#include "forebay/sim/checks/caller_place.hpp"
#include "forebay/sim/connector.hpp"

namespace forebay::sim {

class Tampering {
 public:
  virtual ~Tampering() = default;
  virtual PoolOptions options(PoolOptions honest) { return honest; }
  virtual TenantOptions tenants(TenantOptions honest) { return honest; }
  virtual Connector& connector(Connector& honest, Link&) { return honest; }
  virtual ClusterOptions cluster(ClusterOptions honest) { return honest; }
  virtual LeaseSource* leases(LeaseSource* honest) { return honest; }
  virtual PermitSource* permits(PermitSource* honest, Scheduler&) { return honest; }
  virtual Door* door(Scheduler&) { return nullptr; }

  // Of processes that are proxies.
  virtual proxy::RouteOptions route(proxy::RouteOptions honest) { return honest; }
  virtual postgres::ServerProfile profile(postgres::ServerProfile honest) { return honest; }
  virtual StreamNetwork& way_to_server(StreamNetwork& honest, Scheduler&) { return honest; }
  virtual std::unique_ptr<Connector> links(std::unique_ptr<Connector> honest) { return honest; }
  virtual Observer& observer(Observer& honest, Scheduler&) { return honest; }
  virtual void note_route(proxy::Route&) {}  // that was made with these
};

}  // namespace forebay::sim
