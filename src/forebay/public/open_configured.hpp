// What ConfiguredPool and ConfiguredTenants have in common: how they begin and how they end.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "forebay/base/log.hpp"
#include "forebay/configuration.hpp"

namespace forebay {

// Where to, and what is shared on the way.
struct ConfiguredTarget {
  explicit ConfiguredTarget(std::string with_secrets) : text(std::move(with_secrets)) {}
  std::string text;
  PoolSharing sharing;
};

// Opens the cluster, if there is one, and waits for the delay of a staggered start. REQUIRES: the
// configuration is completed, and that is what is wrong with it.
Result<ConfiguredTarget> begin_configured(Runtime& runtime, const Configuration& configuration,
                                          const OptionProblems& wrong,
                                          std::unique_ptr<Cluster>& cluster);

// What was opened stands on the cluster, and both have words for the log.
template <class Opened>
void end_configured(std::unique_ptr<Opened>& opened, std::unique_ptr<Cluster>& cluster) {
  opened.reset();
  cluster.reset();
  log::write_all_repeats();
}

}  // namespace forebay
