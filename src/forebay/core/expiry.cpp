#include "forebay/core/expiry.hpp"

#include <algorithm>

namespace forebay {
namespace {

constexpr Duration kCentury = std::chrono::hours(24) * 36'525;

}  // namespace

Duration lifetime_cap(const ExpiryRule& rule) {
  if (rule.server_limit == Duration::max()) return Duration::max();
  return rule.server_limit - rule.longest_transaction;
}

Duration draw_lifetime(const ExpiryRule& rule, Random& random) {
  if (rule.lifetime == Duration::max()) return std::min(kCentury, lifetime_cap(rule));
  Duration lifetime = rule.lifetime;
  if (rule.jitter > Duration::zero()) lifetime += random.between(-rule.jitter / 2, rule.jitter / 2);
  return std::min(lifetime, lifetime_cap(rule));
}

}  // namespace forebay
