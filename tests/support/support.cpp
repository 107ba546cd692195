// The headers of this folder hold all there is; this file makes them a library with
// a precompiled header.
#include "support/fake_connector.hpp"
#include "support/real_pool.hpp"
#include "support/sim_pool.hpp"
