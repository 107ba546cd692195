// Waiting for a file descriptor that somebody else (libpq) owns and reads.
#pragma once

#include <cstdint>
#include <memory>

#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/until.hpp"

namespace forebay {

enum class Readiness : std::uint8_t { readable, writable, either };

// One descriptor, registered with the loop until this object dies. Never closes the descriptor; it
// must die before the descriptor is closed. Confined to the loop that made it, except that it may
// die on any thread while nobody waits: a descriptor moves to another loop that way.
class WatchedDescriptor {
 public:
  virtual ~WatchedDescriptor() = default;
  // False: it is registered with another loop than that of the task that asks.
  virtual bool is_here() const { return true; }
  // Ends when the descriptor is ready (or broken: the next read tells), at the deadline with
  // Errc::timed_out, with Errc::cancelled when it is cancelled, or with Errc::closed by cancel().
  // At most one wait at a time.
  virtual Task<Result<void>> wait(Readiness readiness, Until until) = 0;
  virtual void cancel() = 0;  // ends the wait in progress, if any, with Errc::closed
};

class DescriptorWatcher {
 public:
  virtual ~DescriptorWatcher() = default;
  virtual std::unique_ptr<WatchedDescriptor> watch(int descriptor) = 0;
};

}  // namespace forebay
