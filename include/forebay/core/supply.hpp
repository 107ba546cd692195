// Supply and TakeOrder: how a pool gets its connections, and which of those that are ready it hands
// out.
#pragma once

#include <cstdint>

namespace forebay {

enum class Supply : std::uint8_t {
  standard,   // opens on demand; keeps min_idle ready, and keep_open in existence at the keeper's
              // pace
  reservoir,  // keeps target_ready ready ahead of demand
};

enum class TakeOrder : std::uint8_t { newest_first, oldest_first };

}  // namespace forebay
