#include "forebay/proxy/send_lane.hpp"

#include <array>

#include "forebay/wire/protocol/bytes.hpp"

namespace forebay::proxy {

namespace {

// What an idle client may keep for its next answer.
constexpr std::size_t kKeptMemory = 256;

void shrink_text(std::string& text) {
  if (text.empty() && text.capacity() > kKeptMemory) std::string().swap(text);
}

}  // namespace

bool SendLane::try_send(ByteStream& stream, std::string& buffer) const {
  if (is_writing_) return false;
  if (buffer.empty()) return true;
  const Result<std::size_t> sent = stream.write_now(wire::bytes_of(buffer));
  if (!sent) return false;
  if (*sent < buffer.size()) {
    buffer.erase(0, *sent);
    return false;
  }
  buffer.clear();
  return true;
}

Task<Result<void>> SendLane::send(ByteStream& stream, std::string& buffer, std::string_view piece,
                                  Instant deadline) {
  if (is_writing_) {
    // Others may say more before it is our turn: this was said before.
    buffer.append(piece);
    piece = {};
    while (is_writing_) co_await is_free_.wait_until(kNever);
  }
  if (buffer.empty() && piece.empty()) co_return Result<void>();
  is_writing_ = true;
  sending_.swap(buffer);
  const std::array<ConstBytes, 2> pieces{wire::bytes_of(sending_), wire::bytes_of(piece)};
  Result<void> sent = co_await stream.write(pieces, deadline);
  sending_.clear();
  is_writing_ = false;
  is_free_.notify_all();
  co_return sent;
}

void SendLane::shrink(std::string& buffer) {
  shrink_text(buffer);
  if (!is_writing_) shrink_text(sending_);
}

}  // namespace forebay::proxy
