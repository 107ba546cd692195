// Messages put together again from the frames of a FrameReader, for tests of the protocol.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/detail/base/check.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"

namespace forebay::test {

struct WireMessage {
  char type = 0;
  std::string body;
  friend bool operator==(const WireMessage&, const WireMessage&) = default;
};

struct WireMessages {
  std::vector<WireMessage> all;
  std::string bytes;  // of all frames, one after the other
  bool is_broken = false;
  bool is_open = false;  // the last message is not all there
};

// Takes all frames that are there, and checks what always holds of them.
inline void take_frames(wire::FrameReader& reader, WireMessages& messages) {
  using Kind = wire::Frame::Kind;
  for (;;) {
    const wire::Frame frame = reader.next();
    if (frame.kind == Kind::none) return;
    if (frame.kind == Kind::broken) {
      messages.is_broken = true;
      FOREBAY_CHECK(reader.next().kind == Kind::broken);
      FOREBAY_CHECK(!reader.problem().text().empty());
      return;
    }
    const bool is_start = frame.kind == Kind::whole || frame.kind == Kind::first;
    FOREBAY_CHECK(is_start != messages.is_open, "a message begins when the last one has ended");
    if (is_start) messages.all.push_back({frame.type, ""});
    WireMessage& message = messages.all.back();
    FOREBAY_CHECK(frame.type == message.type);
    FOREBAY_CHECK(frame.bytes.ends_with(frame.body));
    message.body += frame.body;
    messages.bytes += frame.bytes;
    messages.is_open = frame.kind == Kind::first || frame.kind == Kind::middle;
    const bool is_complete = message.body.size() == frame.length;
    FOREBAY_CHECK(is_complete != messages.is_open);
  }
}

// Puts so many bytes of the stream into the reader as it has room for; what is left comes back.
inline std::string_view feed(wire::FrameReader& reader, std::string_view stream) {
  const auto room = reader.room();
  const std::size_t count = std::min(room.size(), stream.size());
  std::memcpy(room.data(), stream.data(), count);
  reader.add(count);
  return stream.substr(count);
}

// The stream in reads of these lengths, over and over.
inline WireMessages read_messages(wire::FrameReader& reader, std::string_view stream,
                                  const std::vector<std::size_t>& reads) {
  WireMessages messages;
  std::size_t turn = 0;
  while (!stream.empty() && !messages.is_broken) {
    const std::size_t most = reads.empty() ? stream.size() : reads[turn++ % reads.size()];
    const std::size_t count = std::min(most, stream.size());
    const std::string_view rest = feed(reader, stream.substr(0, count));
    stream.remove_prefix(count - rest.size());
    take_frames(reader, messages);
  }
  return messages;
}

}  // namespace forebay::test
