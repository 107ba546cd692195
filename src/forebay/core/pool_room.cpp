#include "forebay/core/pool_room.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"

namespace forebay {

void PoolRoom::resize(int max) {
  capacity_.set_max(max);
  allowed_over_ = std::max(0, approved() - max);
  is_shrinking_ = allowed_over_ > 0;
}

std::optional<RoomNeed> PoolRoom::need(bool is_awaited) const {
  if (!is_lacking_) return std::nullopt;
  if (!is_awaited) return RoomNeed::ahead;
  return approved() == going_ ? RoomNeed::empty_handed : RoomNeed::waiting;
}

void PoolRoom::audit() const {
  FOREBAY_CHECK(going_ >= 0 && going_ <= approved());
  FOREBAY_CHECK(approved() <= capacity_.max() + allowed_over_);
  FOREBAY_CHECK(is_shrinking_ || approved() <= capacity_.max());
}

}  // namespace forebay
