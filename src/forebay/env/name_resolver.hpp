// NameResolver: the addresses of a host by its name, without blocking anybody.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

// One question. Confined to the scheduler that made it.
class NameLookup {
 public:
  virtual ~NameLookup() = default;
  // Addresses as text, those to be tried first in front; never none. Errors name the host and say
  // how long it took: refused (there is no such name), connect_failed (no server can tell),
  // timed_out, closed. REQUIRES: called once.
  virtual Task<Result<std::vector<std::string>>> run(Instant deadline) = 0;
  virtual void cancel() = 0;  // ends run() with Errc::closed
};

class NameResolver {
 public:
  virtual ~NameResolver() = default;
  virtual std::unique_ptr<NameLookup> look_up(std::string name) = 0;
};

}  // namespace forebay
