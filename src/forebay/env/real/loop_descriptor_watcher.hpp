// LoopDescriptorWatcher: tells tasks when a descriptor that others own can be read or written.
//
// Confined to the loop's thread; it outlives what it makes. What it makes may die on any thread
// while nobody waits.
#pragma once

#include "forebay/env/descriptor_watch.hpp"
#include "forebay/env/real/loop_scheduler.hpp"

namespace forebay::real {

class LoopDescriptorWatcher final : public DescriptorWatcher {
 public:
  explicit LoopDescriptorWatcher(LoopScheduler& scheduler) : scheduler_(scheduler) {}

  // If the system cannot watch the descriptor, the first wait says so with Errc::connection_lost.
  std::unique_ptr<WatchedDescriptor> watch(int descriptor) override;

 private:
  LoopScheduler& scheduler_;
};

}  // namespace forebay::real
