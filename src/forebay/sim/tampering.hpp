// Tampering: seams at which a test replaces a part of a simulated process by one with a bug in it,
// to see that the promises' checks can fail. The parts it returns live as long as it does.
#pragma once

#include "forebay/coordination/cluster_options.hpp"
#include "forebay/pool/admission.hpp"
#include "forebay/pool/options.hpp"
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
};

}  // namespace forebay::sim
