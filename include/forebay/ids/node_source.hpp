// NodeSource: tells a Snowflake generator which node number it may use, and for which times.
//
// Each number belongs to one generator at a time. The times make a number safe to hand on, however
// wrong the clocks are: an id bears a time within the term of its maker, and terms of one
// number do not overlap.
#pragma once

#include <cstdint>
#include <limits>

#include "forebay/base/error.hpp"

namespace forebay {

inline constexpr int kNodeNumbers = 1024;  // 10 bits: 0 to 1023

struct NodeTerm {
  int node = 0;
  // Milliseconds since 1970 that ids of this term may carry, both included.
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

class NodeSource {
 public:
  virtual ~NodeSource() = default;
  // Thread-safe, and waits for nobody but threads that do the same. An error says why there is no
  // number now.
  virtual Result<NodeTerm> term() const = 0;
  // Somebody wants ids after the last time of the term. Thread-safe.
  virtual void want_later() {}
};

// A number that somebody has given to this process alone, for ever. It knows nothing of ids that
// were made with the number in an earlier life: the clock must be past them.
class FixedNode final : public NodeSource {
 public:
  // REQUIRES: 0 <= node < kNodeNumbers.
  explicit FixedNode(int node);
  Result<NodeTerm> term() const override;

 private:
  const int node_;
};

}  // namespace forebay
