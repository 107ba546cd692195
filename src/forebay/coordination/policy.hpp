// What a process does when it cannot reach the coordination store, or has lost its lease there.
#pragma once

#include <cstdint>

namespace forebay {

enum class StoreAbsence : std::uint8_t {
  hold,   // nothing is opened beyond what is leased; the cluster's limits stay true
  local,  // within this process's last known share of the limits, counted afterwards
};

enum class LeaseLoss : std::uint8_t {
  keep,   // open connections live on and are leased anew, above the limit if need be
  fence,  // they are retired before the lease can end
};

}  // namespace forebay
