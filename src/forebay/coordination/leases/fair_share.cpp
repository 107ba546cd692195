#include "forebay/coordination/leases/fair_share.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace forebay {
namespace {

struct Sharer {
  const std::string* id;
  std::int64_t held;
  std::int64_t wanted;
  std::int64_t least;
  std::int64_t share = 0;

  std::int64_t up_to(std::int64_t level) const { return std::min(wanted, std::max(least, level)); }
  std::int64_t missing() const { return std::max<std::int64_t>(0, share - held); }
  std::int64_t surplus() const { return std::max<std::int64_t>(0, held - share); }
};

std::int64_t sum_at(const std::vector<Sharer>& sharers, std::int64_t level) {
  std::int64_t sum = 0;
  for (const Sharer& sharer : sharers) sum += sharer.up_to(level);
  return sum;
}

// The highest level at which all of them together keep within the room.
std::int64_t divide(std::vector<Sharer>& sharers, std::int64_t room) {
  // Minima that are more than the limit together are promised to nobody.
  if (sum_at(sharers, 0) > room)
    for (Sharer& sharer : sharers) sharer.least = 0;
  std::int64_t low = 0;
  std::int64_t high = std::max<std::int64_t>(0, room);
  while (low < high) {
    const std::int64_t level = (low + high + 1) / 2;
    if (sum_at(sharers, level) <= room) {
      low = level;
    } else {
      high = level - 1;
    }
  }
  for (Sharer& sharer : sharers) sharer.share = sharer.up_to(low);
  return low;
}

// How many of what is needed this one gives up: those who have most above their share come down to
// one height, and what is then too much stays with those whose names come first.
std::int64_t part_of(const std::vector<Sharer>& sharers, std::int64_t needed, const Sharer& own) {
  const auto above = [&](std::int64_t height) {
    std::int64_t sum = 0;
    for (const Sharer& sharer : sharers)
      sum += std::max<std::int64_t>(0, sharer.surplus() - height);
    return sum;
  };
  std::int64_t low = 0;
  std::int64_t high = own.surplus();
  for (const Sharer& sharer : sharers) high = std::max(high, sharer.surplus());
  while (low < high) {
    const std::int64_t height = (low + high + 1) / 2;
    if (above(height) >= needed) {
      low = height;
    } else {
      high = height - 1;
    }
  }
  if (own.surplus() <= low) return 0;
  std::int64_t too_much = above(low) - needed;
  for (const Sharer& sharer : sharers) {
    if (sharer.surplus() > low && *sharer.id < *own.id) --too_much;
  }
  return own.surplus() - low - (too_much > 0 ? 1 : 0);
}

}  // namespace

FairShare fair_share(int limit, const LeaseListing& listing, const std::string& own,
                     LeaseClaim claim) {
  std::vector<Sharer> sharers;
  std::int64_t room = limit;
  std::int64_t held = 0;
  bool is_listed = false;
  for (const LeaseRecord& lease : listing.leases) {
    if (!lease.is_renewed) {
      room -= lease.held;
      continue;
    }
    const bool is_own = lease.id == own;
    is_listed |= is_own;
    const LeaseClaim& its = is_own ? claim : lease.claim;
    sharers.push_back(
        {&lease.id, lease.held, std::max(lease.held, its.wanted), std::max(0, its.min_share)});
    held += lease.held;
  }
  if (!is_listed)
    sharers.push_back({&own, 0, std::max(0, claim.wanted), std::max(0, claim.min_share)});
  const std::int64_t level = divide(sharers, room);

  std::int64_t needed = -std::max<std::int64_t>(0, room - held);  // what is free is nobody's loss
  for (const Sharer& sharer : sharers) needed += sharer.missing();
  const auto me = std::ranges::find(sharers, own, [](const Sharer& s) { return *s.id; });
  FairShare result;
  result.share = static_cast<int>(std::max(me->least, level));
  if (needed <= 0) return result;
  const std::int64_t kept = me->held - part_of(sharers, needed, *me);
  result.cap = static_cast<int>(std::max(me->share, kept));
  return result;
}

}  // namespace forebay
