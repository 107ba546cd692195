// AsioDescriptorWatcher: tells tasks when a descriptor that others own can be read or written.
//
// Confined to the loop's thread; it outlives what it makes. What it makes may die on any thread
// while nobody waits: Asio's own locks take it out of the loop then. The first
// wait makes the descriptor non-blocking (Asio insists); libpq's already are. Not installed:
// it knows Asio.
#pragma once

#include <boost/asio/io_context.hpp>

#include "forebay/env/descriptor_watch.hpp"
#include "forebay/env/scheduler.hpp"

namespace forebay::real {

class AsioDescriptorWatcher final : public DescriptorWatcher {
 public:
  // REQUIRES: the scheduler runs on this context.
  AsioDescriptorWatcher(boost::asio::io_context& context, Scheduler& scheduler)
      : context_(context), scheduler_(scheduler) {}

  // If the system cannot watch the descriptor, the first wait says so with Errc::connection_lost.
  std::unique_ptr<WatchedDescriptor> watch(int descriptor) override;

 private:
  boost::asio::io_context& context_;
  Scheduler& scheduler_;
};

}  // namespace forebay::real
