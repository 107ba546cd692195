// WorldParts: what a simulated process finds around it. Handed over in constructors.
#pragma once

#include "forebay/core/latency_histogram.hpp"
#include "forebay/env/sim/timeline.hpp"
#include "forebay/sim/checks/promise_book.hpp"
#include "forebay/sim/database.hpp"
#include "forebay/sim/store/store.hpp"

namespace forebay::sim {

class Tampering;
class WireSide;

struct WorldParts {
  const Scenario& scenario;
  Timeline& timeline;
  SimDatabase& database;
  SimStore& store;
  Trace& trace;
  PromiseBook& book;
  LatencyHistogram& waits;  // of all processes
  Tampering& tampering;
  WireSide* wires = nullptr;  // none: there are no proxies
};

}  // namespace forebay::sim
