#include "forebay/detail/env/frame_memory.hpp"

#include <array>
#include <new>

namespace forebay::detail {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeepsFrames = false;
#else
constexpr bool kKeepsFrames = true;
#endif

constexpr std::size_t kStep = 64;       // sizes are rounded up to it
constexpr std::size_t kClasses = 32;    // up to 2 KiB; larger frames are not kept
constexpr std::size_t kMostKept = 512;  // of each size: a megabyte a thread at most

struct FreeFrame {
  FreeFrame* next;
};

class KeptFrames {
 public:
  KeptFrames() = default;
  KeptFrames(const KeptFrames&) = delete;
  KeptFrames& operator=(const KeptFrames&) = delete;
  ~KeptFrames() {
    for (Kept& kept : classes_) {
      while (FreeFrame* frame = kept.first) {
        kept.first = frame->next;
        ::operator delete(frame);
      }
      kept.count = kMostKept;  // what is freed from here on, at the thread's end, is not kept
    }
  }

  void* take(std::size_t size) {
    Kept& kept = classes_[class_of(size)];
    FreeFrame* frame = kept.first;
    if (frame == nullptr) return ::operator new((class_of(size) + 1) * kStep);
    kept.first = frame->next;
    --kept.count;
    return frame;
  }
  void keep(void* memory, std::size_t size) noexcept {
    Kept& kept = classes_[class_of(size)];
    if (kept.count >= kMostKept) {
      ::operator delete(memory);
      return;
    }
    kept.first = ::new (memory) FreeFrame{kept.first};
    ++kept.count;
  }

 private:
  struct Kept {
    FreeFrame* first = nullptr;
    std::size_t count = 0;
  };
  static std::size_t class_of(std::size_t size) { return (size - 1) / kStep; }

  std::array<Kept, kClasses> classes_;
};

thread_local KeptFrames kept_frames;

}  // namespace

void* allocate_frame(std::size_t size) {
  if (!kKeepsFrames || size > kStep * kClasses) return ::operator new(size);
  return kept_frames.take(size);
}

void free_frame(void* frame, std::size_t size) noexcept {
  if (!kKeepsFrames || size > kStep * kClasses) {
    ::operator delete(frame);
  } else {
    kept_frames.keep(frame, size);
  }
}

}  // namespace forebay::detail
