// Waiting for a file descriptor that somebody else (libpq) owns and reads.
#pragma once

#include <cstdint>
#include <memory>

#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

enum class Readiness : std::uint8_t { readable, writable, either };

// One descriptor, registered with the loop until this object dies. Never closes the descriptor; it
// must die before the descriptor is closed. Confined to the scheduler that made it.
class WatchedDescriptor {
 public:
  virtual ~WatchedDescriptor() = default;
  // Ends when the descriptor is ready (or broken: the next read tells), at the deadline with
  // Errc::timed_out, or with Errc::closed when cancelled. At most one wait at a time.
  virtual Task<Result<void>> wait(Readiness readiness, Instant deadline) = 0;
  virtual void cancel() = 0;  // ends the wait in progress, if any, with Errc::closed
};

class DescriptorWatcher {
 public:
  virtual ~DescriptorWatcher() = default;
  virtual std::unique_ptr<WatchedDescriptor> watch(int descriptor) = 0;
};

}  // namespace forebay
