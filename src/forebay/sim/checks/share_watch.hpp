// ShareWatch: nobody is starved by the storms of others. While nothing else is wrong, a tenant for
// which somebody waits has a connection before long, whatever the others want.
//
// It is part of promise 5: a tenant's turn comes.
#pragma once

#include "forebay/sim/process.hpp"

namespace forebay::sim {

class ShareWatch {
 public:
  explicit ShareWatch(const WorldParts& parts) : parts_(parts) {}

  // To be asked at every sample, for every process.
  void look(const Process& process, bool is_world_calm) const;
  // How long a tenant may have nothing: rounds of all tenants through all connections.
  static Duration patience_of(const Scenario& scenario, const ServiceSpec& service);

 private:
  WorldParts parts_;
};

}  // namespace forebay::sim
