// ServerKind: what a pool talks to, where that makes a difference.
#pragma once

#include <cstdint>

namespace forebay {

enum class ServerKind : std::uint8_t {
  other,  // of no special kind
  postgresql,
  dsql,  // Aurora DSQL
};

}  // namespace forebay
