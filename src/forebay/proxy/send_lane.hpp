// SendLane: writes to one stream what several tasks of a loop have to say, in the order in which
// they said it.
//
// What they say is in one buffer, which belongs to them all. A task that finds another one writing
// waits, and then writes what has gathered meanwhile. Confined to its scheduler.
#pragma once

#include <string>
#include <string_view>

#include "forebay/env/byte_stream.hpp"
#include "forebay/env/condition.hpp"

namespace forebay::proxy {

class SendLane {
 public:
  explicit SendLane(Scheduler& scheduler) : is_free_(scheduler) {}

  // What goes without waiting is sent, and is in the buffer no more. True: there is no need for
  // send().
  bool try_send(ByteStream& stream, std::string& buffer) const;
  // What is in the buffer, then the piece, which need not be copied if nobody else writes. Errors
  // are those of ByteStream::write().
  Task<Result<void>> send(ByteStream& stream, std::string& buffer, std::string_view piece,
                          Instant deadline);

  bool is_writing() const { return is_writing_; }
  // Memory that only something large needed goes back, also that of the buffer.
  void shrink(std::string& buffer);

 private:
  Condition is_free_;
  std::string sending_;
  bool is_writing_ = false;
};

}  // namespace forebay::proxy
