// TokenSource: what proves to the server who we are, fresh for each connect: a signed token that
// runs out, or a password that changes.
#pragma once

#include <string>

#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class TokenSource {
 public:
  virtual ~TokenSource() = default;
  // For tasks of the pool's scheduler: what to send as the password now. Never later than the
  // deadline.
  virtual Task<Result<std::string>> token(Instant deadline) = 0;
  // The server says that this one has run out: it is not handed out again.
  virtual void reject(const std::string& token) = 0;
};

}  // namespace forebay
