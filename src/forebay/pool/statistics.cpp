#include "forebay/pool/statistics.hpp"

#include <fmt/format.h>

namespace forebay {

std::string describe(const PoolGauges& gauges) {
  return fmt::format("max {}: lent {}, ready {}, cleaning {}, opening {}, closing {}, waiters {}",
                     gauges.max, gauges.lent, gauges.ready, gauges.cleaning, gauges.opening,
                     gauges.closing, gauges.waiters);
}

}  // namespace forebay
