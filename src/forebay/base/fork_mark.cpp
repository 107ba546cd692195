#include "forebay/base/fork_mark.hpp"

#include <utility>
#include <vector>

#include <pthread.h>

namespace forebay {

constinit std::atomic<std::uint32_t> ForkMark::generation_{0};

ForkMark::ForkMark() {
  // Without memory for it nothing is counted, and nothing else would work either.
  [[maybe_unused]] static const int registered = ::pthread_atfork(
      nullptr, nullptr, [] { generation_.fetch_add(1, std::memory_order_relaxed); });
  made_in_ = generation_.load(std::memory_order_relaxed);
}

// Never destroyed, and never out of sight of those who look for leaks. A child has one thread when
// it begins, and does not end objects of the parent on several at the same time.
void leave_to_parent(std::shared_ptr<void> object) {
  static auto* const left = new std::vector<std::shared_ptr<void>>();
  left->push_back(std::move(object));
}

}  // namespace forebay
