// SecureRandom: chance that nobody can guess and no two processes share, asked of the operating
// system each time. For ids and secrets; a few hundred nanoseconds a number.
//
// Thread-safe, and safe after fork(): nothing is kept.
#pragma once

#include "forebay/env/random.hpp"

namespace forebay::real {

class SecureRandom final : public Random {
 public:
  std::uint64_t next() override;
};

}  // namespace forebay::real
