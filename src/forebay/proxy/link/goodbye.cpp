#include "forebay/proxy/link/goodbye.hpp"

#include <algorithm>
#include <array>

#include "forebay/env/sleep.hpp"
#include "forebay/proxy/link/server_words.hpp"
#include "forebay/wire/protocol/bytes.hpp"

namespace forebay::proxy {

Task<bool> Goodbye::run(ServerNotice server, Instant deadline) {
  if (!told_at_) {
    told_at_ = scheduler_.now();
    if (!is_gone_) co_await tell(deadline);
  }
  while (!is_gone_) {
    const Instant end = ended_by(server, *told_at_, lost_at_);
    const Instant now = scheduler_.now();
    if (now >= end) co_return true;
    if (now >= deadline) co_return false;
    const Instant until = std::min(end, deadline);
    if (lost_at_) {
      co_await sleep_until(scheduler_, until);
    } else {
      co_await listen(until);
    }
  }
  co_return true;
}

// The end of our side means the same as Terminate, which a server that is busy may not read soon.
Task<void> Goodbye::tell(Instant deadline) {
  if (!last_words_.empty()) {
    const ConstBytes words = wire::bytes_of(last_words_);
    const Result<void> written = co_await stream_->write(std::span(&words, 1), deadline);
    static_cast<void>(written);
  }
  const Result<void> finished = co_await stream_->finish(deadline);
  if (finished) co_return;
  // A stream that cannot be finished is hung up, and nobody hears from it again; but what the
  // server had to say before may be its own end.
  co_await listen(scheduler_.now());
  if (is_gone_ || lost_at_) co_return;
  stream_->close();
  lost_at_ = scheduler_.now();
}

// What is left of results is read and dropped, or a server that is still sending would never end.
Task<void> Goodbye::listen(Instant deadline) {
  std::array<std::byte, 4 * 1024> scrap;
  for (;;) {
    const Result<std::size_t> got = co_await stream_->read(Bytes(scrap), deadline);
    if (got && *got > 0) {
      if (scheduler_.now() >= deadline) co_return;
      continue;
    }
    if (got) {
      is_gone_ = true;
    } else if (got.error().code() == Errc::connection_lost) {
      is_gone_ = !is_silence(got.error());
      if (!is_gone_) lost_at_ = scheduler_.now();
    } else if (got.error().code() == Errc::closed) {
      lost_at_ = scheduler_.now();
    }
    co_return;
  }
}

}  // namespace forebay::proxy
