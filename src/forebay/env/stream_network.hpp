// StreamNetwork: how the tasks of one loop come by streams. Confined to its scheduler, like what it
// makes; it outlives what it makes.
#pragma once

#include <memory>

#include "forebay/env/byte_stream.hpp"
#include "forebay/env/stream_listener.hpp"
#include "forebay/env/until.hpp"

namespace forebay {

class StreamNetwork {
 public:
  virtual ~StreamNetwork() = default;

  // Tries the addresses of the host in their order. Errors name the address: connect_failed,
  // timed_out, cancelled, or invalid if there can be nobody there.
  virtual Task<Result<std::unique_ptr<ByteStream>>> connect(StreamAddress to, Until until) = 0;
  // Errors: invalid, if the address makes no sense; refused, if it is taken or may not be used.
  virtual Result<std::unique_ptr<StreamListener>> listen(const StreamAddress& at) = 0;
};

}  // namespace forebay
