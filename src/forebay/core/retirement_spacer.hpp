// RetirementSpacer: chooses when each connection is retired, so that connections which were opened
// in one burst do not have to be replaced in one.
//
// A connection retires at the latest moment before it goes stale that keeps a gap to every
// other retirement. The gap is half of its life divided by the pool's size, so that a whole
// pool fits into the second half of its lives. Later generations are spread by birth and keep
// nearly all of theirs.
#pragma once

#include <cstddef>
#include <vector>

#include "forebay/env/random.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class RetirementSpacer {
 public:
  // Takes a place in (opened_at, stale_at]. pool_size > 0.
  Instant choose(Instant opened_at, Instant stale_at, int pool_size, Random& random);
  void release(Instant retire_at);

  std::size_t size() const { return taken_.size(); }

 private:
  // Places looked at before chance decides: bounds the work in a pool of many thousands.
  static constexpr int kLooks = 1024;

  std::vector<Instant> taken_;  // sorted: looks at neighbours are many, insertions few
};

}  // namespace forebay
