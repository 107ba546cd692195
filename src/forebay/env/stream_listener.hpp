// StreamListener: lets in those who call at an address. Confined to the scheduler of its loop.
#pragma once

#include <memory>

#include "forebay/env/byte_stream.hpp"
#include "forebay/env/stream_address.hpp"

namespace forebay {

class StreamListener {
 public:
  // Nobody can call any more. REQUIRES: no accept is under way.
  virtual ~StreamListener() = default;

  // The next one who calls. Errors: timed_out; closed; limit_reached, if the system cannot let
  // anybody in, for want of descriptors, say: that may pass, so pause and accept again. One at a
  // time.
  virtual Task<Result<std::unique_ptr<ByteStream>>> accept(Instant deadline) = 0;
  // Nobody can call any more. An accept under way ends with Errc::closed, on a later turn.
  virtual void close() = 0;

  // With the port that the system chose, if it was asked to.
  virtual const StreamAddress& address() const = 0;
};

}  // namespace forebay
