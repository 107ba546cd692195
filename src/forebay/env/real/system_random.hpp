// SystemRandom: chance for production, seeded once by the operating system.
//
// Confined to the tasks of one scheduler. Good for jitter and for spreading load, not for secrets.
#pragma once

#include "forebay/env/random.hpp"

namespace forebay::real {

class SystemRandom final : public Random {
 public:
  SystemRandom();
  std::uint64_t next() override { return generator_.next(); }

 private:
  SeededRandom generator_;
};

}  // namespace forebay::real
