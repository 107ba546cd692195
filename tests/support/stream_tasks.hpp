// What tests do with streams: texts in, texts out.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/env/byte_stream.hpp"

namespace forebay::test {

inline ConstBytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

inline Task<Result<void>> write_text(ByteStream& stream, std::string text, Instant deadline) {
  const ConstBytes piece = bytes_of(text);
  co_return co_await stream.write(std::span(&piece, 1), deadline);
}

inline Task<Result<void>> write_texts(ByteStream& stream, std::vector<std::string> texts,
                                      Instant deadline) {
  std::vector<ConstBytes> pieces;
  for (const std::string& text : texts) pieces.push_back(bytes_of(text));
  co_return co_await stream.write(pieces, deadline);
}

// That many bytes, or fewer if the stream ends before.
inline Task<Result<std::string>> read_text(ByteStream& stream, std::size_t wanted,
                                           Instant deadline) {
  std::string text;
  std::array<std::byte, 4096> buffer;
  while (text.size() < wanted) {
    const Bytes into = Bytes(buffer).first(std::min(buffer.size(), wanted - text.size()));
    const Result<std::size_t> got = co_await stream.read(into, deadline);
    if (!got) co_return failure(got.error());
    if (*got == 0) break;
    text.append(reinterpret_cast<const char*>(buffer.data()), *got);
  }
  co_return text;
}

inline Task<Result<std::string>> read_to_end(ByteStream& stream, Instant deadline) {
  co_return co_await read_text(stream, std::string::npos, deadline);
}

// Writes back whatever comes, until the peer has finished; then finishes, too.
inline Task<Result<void>> echo(ByteStream& stream, Instant deadline) {
  std::array<std::byte, 4096> buffer;
  for (;;) {
    const Result<std::size_t> got = co_await stream.read(Bytes(buffer), deadline);
    if (!got) co_return failure(got.error());
    if (*got == 0) break;
    const ConstBytes piece = ConstBytes(buffer).first(*got);
    Result<void> written = co_await stream.write(std::span(&piece, 1), deadline);
    if (!written) co_return written;
  }
  co_return co_await stream.finish(deadline);
}

// For tasks that run beside others.
template <class T>
Task<void> keep_result(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await std::move(task));
}

inline std::string error_name(const auto& result) {
  return result ? "none" : std::string(name(result.error().code()));
}

}  // namespace forebay::test
