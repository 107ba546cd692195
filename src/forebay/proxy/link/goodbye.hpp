// Goodbye: ends a session, and waits until the server has let go of it or must have.
//
// The server counts a session until its process is gone; PostgreSQL closes the connection at that
// moment. So the end of the stream is what is waited for. Where nothing is heard any more, not even
// that, the server has been told how soon to notice (ServerNotice).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "forebay/core/notice.hpp"
#include "forebay/env/byte_stream.hpp"
#include "forebay/env/scheduler.hpp"

namespace forebay::proxy {

class Goodbye {
 public:
  // The last words are sent before the end of our side, if the stream takes them.
  Goodbye(Scheduler& scheduler, std::unique_ptr<ByteStream> stream, std::string last_words)
      : scheduler_(scheduler), stream_(std::move(stream)), last_words_(std::move(last_words)) {}

  // The server has closed the stream, or lost it, before.
  void note_gone() { is_gone_ = true; }
  // Nothing is heard of it since now.
  void note_silence() { lost_at_ = scheduler_.now(); }

  // True: the server has let go. False: the deadline has passed, call it again.
  Task<bool> run(ServerNotice server, Instant deadline);

 private:
  Task<void> tell(Instant deadline);
  Task<void> listen(Instant deadline);

  Scheduler& scheduler_;
  const std::unique_ptr<ByteStream> stream_;
  const std::string last_words_;
  bool is_gone_ = false;
  std::optional<Instant> told_at_;  // when our side ended
  std::optional<Instant> lost_at_;  // since when the other is not heard of
};

}  // namespace forebay::proxy
