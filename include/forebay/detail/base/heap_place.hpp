// HeapPlace: the part of an element of an IntrusiveHeap by which the element knows its own place.
#pragma once

#include <cstddef>

namespace forebay {

struct HeapPlace {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t index = kNone;

  bool is_in_heap() const { return index != kNone; }
};

}  // namespace forebay
