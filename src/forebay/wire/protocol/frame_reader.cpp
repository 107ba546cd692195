#include "forebay/wire/protocol/frame_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/wire/protocol/bytes.hpp"
#include "forebay/wire/protocol/violation.hpp"

namespace forebay::wire {
namespace {

constexpr std::size_t kSmallestBuffer = 64;

std::string readable_type(char type) {
  const auto code = static_cast<unsigned char>(type);
  return code > 32 && code < 127 ? fmt::format("'{}'", type) : fmt::format("byte {}", code);
}

}  // namespace

FrameReader::FrameReader(const FrameOptions& options)
    : options_(options),
      is_startup_(options.sender == Sender::client),
      buffer_(std::make_unique_for_overwrite<char[]>(options.capacity)),
      size_(options.capacity) {
  FOREBAY_CHECK(options.capacity >= kSmallestBuffer);
}

std::span<std::byte> FrameReader::room() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (size_ != options_.capacity) resize(options_.capacity);
  } else if (size_ < options_.capacity) {
    resize(options_.capacity);
  } else if (end_ == size_ || begin_ + wanted_ > size_) {
    if (begin_ > 0) std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ == size_) resize(std::clamp(wanted_, size_, 2 * size_));
  }
  FOREBAY_CHECK(end_ < size_, "take all frames before asking for room");
  return std::as_writable_bytes(std::span(buffer_.get() + end_, size_ - end_));
}

void FrameReader::add(std::size_t count) {
  FOREBAY_CHECK(count <= size_ - end_);
  end_ += count;
}

void FrameReader::skip(std::size_t count) {
  FOREBAY_CHECK(remaining_ == 0, "in the middle of a message");
  take(count);
}

const Error& FrameReader::problem() const {
  FOREBAY_CHECK(problem_ != nullptr);
  return *problem_;
}

Frame FrameReader::next() {
  if (problem_ != nullptr) return {.kind = Frame::Kind::broken};
  return remaining_ > 0 ? piece_of_body() : start_of_message();
}

Frame FrameReader::start_of_message() {
  const std::string_view here = unread();
  wanted_ = header_size();
  if (here.size() < wanted_) return {};
  const char type = is_startup_ ? '\0' : here[0];
  const std::uint32_t length = read_uint32(here, wanted_ - 4);
  if (!is_possible(type, length)) return broken(problem_of(type, length));

  const std::uint32_t body = length - 4;
  const std::size_t all = header_size() + body;
  if (here.size() < all && (is_startup_ || options_.whole.has(type))) {
    wanted_ = all;
    return {};
  }
  Frame frame{.type = type, .length = body};
  frame.bytes = take(std::min(all, here.size()));
  frame.body = frame.bytes.substr(header_size());
  frame.kind = frame.body.size() == body ? Frame::Kind::whole : Frame::Kind::first;
  type_ = type;
  length_ = body;
  remaining_ = body - static_cast<std::uint32_t>(frame.body.size());
  return frame;
}

Frame FrameReader::piece_of_body() {
  wanted_ = 1;
  if (begin_ == end_) return {};
  Frame frame{.type = type_, .length = length_};
  frame.bytes = take(std::min<std::size_t>(remaining_, end_ - begin_));
  frame.body = frame.bytes;
  remaining_ -= static_cast<std::uint32_t>(frame.body.size());
  frame.kind = remaining_ > 0 ? Frame::Kind::middle : Frame::Kind::last;
  return frame;
}

bool FrameReader::is_possible(char type, std::uint32_t length) const {
  if (is_startup_) return length >= 8 && length <= kLongestStartup;
  if (length < 4 || length > longest_message(options_.sender, type)) return false;
  return length - 4 <= options_.longest_whole || !options_.whole.has(type);
}

// REQUIRES: it is not possible.
Error FrameReader::problem_of(char type, std::uint32_t length) const {
  if (is_startup_) {
    return violation(
        fmt::format("invalid length of startup packet: {} bytes, which may be 8 to {}; the client "
                    "may not speak PostgreSQL's protocol",
                    length, kLongestStartup));
  }
  const std::uint32_t longest = longest_message(options_.sender, type);
  if (longest == 0) {
    return violation(
        fmt::format("invalid message type {}: no client sends it", readable_type(type)));
  }
  const std::string_view known = message_name(options_.sender, type);
  const std::string name = known.empty() ? readable_type(type) : std::string(known);
  if (length < 4 || length > longest) {
    return violation(fmt::format("invalid length of message {}: {} bytes, which may be 4 to {}",
                                 name, length, longest));
  }
  return violation(fmt::format("message {} of {} bytes is longer than the limit of {} bytes", name,
                               length - 4, options_.longest_whole),
                   kLimitExceeded);
}

Frame FrameReader::broken(Error error) {
  problem_ = std::make_unique<const Error>(std::move(error));
  return {.kind = Frame::Kind::broken};
}

std::string_view FrameReader::take(std::size_t count) {
  FOREBAY_CHECK(count <= end_ - begin_);
  const std::string_view taken(buffer_.get() + begin_, count);
  begin_ += count;
  return taken;
}

void FrameReader::resize(std::size_t size) {
  auto larger = std::make_unique_for_overwrite<char[]>(size);
  std::memcpy(larger.get(), buffer_.get() + begin_, end_ - begin_);
  buffer_ = std::move(larger);
  size_ = size;
  end_ -= begin_;
  begin_ = 0;
}

}  // namespace forebay::wire
