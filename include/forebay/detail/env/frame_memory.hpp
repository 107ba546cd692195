// Memory of coroutine frames. Frames come and go by the million in a few sizes, so each thread
// keeps some of those that it freed for its next ones.
//
// A frame may be freed on another thread than it was made on. Under sanitizers nothing is kept, or
// they would not see the use of a frame that is gone.
#pragma once

#include <cstddef>

namespace forebay::detail {

void* allocate_frame(std::size_t size);
void free_frame(void* frame, std::size_t size) noexcept;

// A base of promises: their frames use this memory.
struct FrameMemory {
  static void* operator new(std::size_t size) { return allocate_frame(size); }
  static void operator delete(void* frame, std::size_t size) noexcept { free_frame(frame, size); }
};

}  // namespace forebay::detail
