#include "forebay/sim/tenant_choice.hpp"

#include <algorithm>
#include <cmath>

namespace forebay::sim {
namespace {

constexpr double kLargestWeight = 1e6;

}  // namespace

TenantChoice::TenantChoice(int count, double skew) {
  for (int number = 1; number <= count; ++number) {
    const double weight = kLargestWeight * std::pow(static_cast<double>(number), -skew);
    usual_.push_back(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(weight)));
    usual_sum_ += usual_.back();
  }
  set_storms({});
}

void TenantChoice::set_storms(const std::vector<TenantStorm>& storms) {
  sums_.clear();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < usual_.size(); ++i) {
    double factor = 1;
    for (const TenantStorm& storm : storms) {
      if (i < static_cast<std::size_t>(storm.tenants)) factor *= storm.factor;
    }
    sum += static_cast<std::uint64_t>(static_cast<double>(usual_[i]) * factor);
    sums_.push_back(sum);
  }
}

std::size_t TenantChoice::draw(Random& random) const {
  if (sums_.size() < 2) return 0;
  const std::uint64_t point = random.below(sums_.back());
  return static_cast<std::size_t>(std::ranges::upper_bound(sums_, point) - sums_.begin());
}

double TenantChoice::load() const {
  return sums_.empty() ? 1 : static_cast<double>(sums_.back()) / static_cast<double>(usual_sum_);
}

}  // namespace forebay::sim
