// Share: a part in the ownership of something whose type does not matter; it lives as long as the
// last share. For what must outlive all its users, no matter which of them ends first.
#pragma once

#include <memory>

namespace forebay {

using Share = std::shared_ptr<void>;

}  // namespace forebay
