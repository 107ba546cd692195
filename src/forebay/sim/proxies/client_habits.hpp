// What the clients of a simulated proxy are like.
#pragma once

#include "forebay/env/random.hpp"
#include "forebay/sim/postgres/sim_client.hpp"
#include "forebay/sim/scenario/scenario.hpp"

namespace forebay::sim {

// The options of a proxy's client with that number, but for whom it calls: with work: anything no
// two are alike.
SimClientOptions client_options(const ProxySpec& proxy, int number, Random& random);
ClientFaults client_faults(const ProxySpec& proxy);

}  // namespace forebay::sim
