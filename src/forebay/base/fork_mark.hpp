// ForkMark: remembers the process in which it was made. After fork() the child has a copy of all
// objects, and none of the threads that they need; the sockets in it belong to the parent.
//
// A copy remembers the same process. Looking costs one load: fork() itself counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace forebay {

class ForkMark {
 public:
  ForkMark();

  // True: this process is a child of the one in which the mark was made.
  bool is_in_child() const { return made_in_ != generation_.load(std::memory_order_relaxed); }

 private:
  static std::atomic<std::uint32_t> generation_;  // how many forks lie between main() and here
  std::uint32_t made_in_;
};

// Keeps an object of the parent that a child must not end: its end would tell the server, or wait
// for threads that are not there.
void leave_to_parent(std::shared_ptr<void> object);

// What an object says that is used in a child.
inline constexpr const char* kUsedAfterFork =
    "this process was forked from the one that made the pool or runtime, whose sockets and threads "
    "stay with the parent: make a Runtime and a pool of its own in the child";

}  // namespace forebay
