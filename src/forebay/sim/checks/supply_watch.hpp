// SupplyWatch: promise 8, in a healthy world. A reservoir that is short, and may open, opens.
//
// It is broken when a process has been short for a while, has started no connect in all that time,
// and the cluster's rate was not what kept it: less than half of it was used.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/sim/process.hpp"

namespace forebay::sim {

class SupplyWatch {
 public:
  SupplyWatch(const WorldParts& parts, std::size_t processes);

  // To be asked at every sample, for every process.
  void look(const Process& process, bool is_world_healthy);

 private:
  struct Shortage {
    Instant since = kNever;
    std::uint64_t own_connects = 0;
    std::uint64_t all_connects = 0;
  };
  bool is_short(const Process& process) const;

  WorldParts parts_;
  const Duration patience_;
  std::vector<Shortage> shortages_;
};

}  // namespace forebay::sim
