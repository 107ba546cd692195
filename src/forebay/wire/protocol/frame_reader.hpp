// FrameReader: from bytes as they come to messages, or pieces of them.
//
//   reader.add(co_await stream.read(reader.room(), deadline));
//   for (Frame frame = reader.next(); frame.kind != Frame::Kind::none; frame = reader.next()) ...
//
// It reads headers, never bodies. Messages of the types wanted whole come whole. All others come as
// soon as their header is there, with as much of the body as there is, and the rest in pieces, so
// that neither memory nor delay grows with their length. However the bytes were split, the pieces
// of a message make the same message.
//
// Bodies are not copied: frames are views of the buffer that the stream read into. They hold until
// the next room(). Frames that follow each other without a room() between them lie side by side, so
// a run of them can be passed on as one. At the end of the buffer the beginning of a message that
// is wanted whole moves to the front, once.
//
// Nothing is allocated, but for another capacity, and for a message that is wanted whole and longer
// than the buffer: then the buffer grows, by doubling as bytes arrive, never on the word of a
// header alone, and shrinks when that message is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/wire/protocol/message_type.hpp"

namespace forebay::wire {

struct Frame {
  enum class Kind : std::uint8_t {
    none,    // more bytes are needed
    whole,   // a message, from its first byte to its last
    first,   // a header, and as much of the body as there is; the rest comes later
    middle,  // more of that body
    last,    // the rest of that body
    broken,  // the peer is out of step: problem() says how, and there will be no more frames
  };
  Kind kind = Kind::none;
  char type = 0;             // of pieces, too. 0: a start-up packet
  std::uint32_t length = 0;  // of the whole body, in bytes
  std::string_view bytes{};  // as they came: with the header, if this piece has it
  std::string_view body{};   // without it
};

struct FrameOptions {
  Sender sender = Sender::client;
  MessageTypes whole = MessageTypes::all();
  std::size_t capacity = std::size_t{16} * 1024;              // at least 64
  std::size_t longest_whole = std::size_t{16} * 1024 * 1024;  // of a body that is wanted whole
};

class FrameReader {
 public:
  // A server's first bytes are a message; those of a client are start-up packets, until the caller
  // has read the one after which messages come.
  explicit FrameReader(const FrameOptions& options);

  void expect_messages() { is_startup_ = false; }
  bool expects_startup() const { return is_startup_; }
  // From now on these come whole. A message that has begun to come in pieces ends in pieces.
  void want_whole(MessageTypes types) { options_.whole = types; }
  // From the next room() on, reads are about so large. At least 64.
  void set_capacity(std::size_t capacity) { options_.capacity = capacity; }

  // Where the next bytes go. Never empty. REQUIRES: next() answered none.
  std::span<std::byte> room();
  // So many bytes were put there.
  void add(std::size_t count);

  Frame next();

  // Bytes that no frame has shown yet. Before TLS begins there must be none: what was sent ahead
  // in the clear would be taken for something said inside.
  std::string_view unread() const { return {buffer_.get() + begin_, end_ - begin_}; }
  // Takes so many of them out, for answers that are no messages.
  void skip(std::size_t count);

  // REQUIRES: next() answered broken.
  const Error& problem() const;

 private:
  std::size_t header_size() const { return is_startup_ ? 4 : 5; }
  Frame start_of_message();
  Frame piece_of_body();
  Frame broken(Error error);
  bool is_possible(char type, std::uint32_t length) const;
  Error problem_of(char type, std::uint32_t length) const;
  std::string_view take(std::size_t count);
  void resize(std::size_t size);

  FrameOptions options_;
  bool is_startup_;
  std::unique_ptr<char[]> buffer_;
  std::size_t size_;
  std::size_t begin_ = 0;  // of what is unread
  std::size_t end_ = 0;
  std::size_t wanted_ = 0;  // how many bytes from begin_ the next frame needs, if that is known
  char type_ = 0;           // of the message whose pieces are coming
  std::uint32_t length_ = 0;
  std::uint32_t remaining_ = 0;           // of its body
  std::unique_ptr<const Error> problem_;  // rare, and readers are many
};

}  // namespace forebay::wire
