// TenantChoice: which tenant the next caller wants, and how many callers come because of storms.
//
// Weights are whole numbers, so that a seed means the same everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/env/random.hpp"

namespace forebay::sim {

// The first few tenants are wanted more often, by a factor.
struct TenantStorm {
  int tenants = 1;
  double factor = 1;
};

class TenantChoice {
 public:
  TenantChoice(int count, double skew);

  void set_storms(const std::vector<TenantStorm>& storms);
  // From 0. Takes no chance where there is no choice.
  std::size_t draw(Random& random) const;
  double load() const;  // callers, as a multiple of those without a storm

 private:
  std::vector<std::uint64_t> usual_;  // weights
  std::vector<std::uint64_t> sums_;   // of the weights now, up to and with each
  std::uint64_t usual_sum_ = 0;
};

}  // namespace forebay::sim
