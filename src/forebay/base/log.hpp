// The library's voice: one line an event, into a sink that the application may replace.
//
// Thread-safe. Secrets never come here: whoever builds a message redacts first.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace forebay::log {

enum class Level : std::uint8_t { debug, info, warning, error };

std::string_view name(Level level);

using Sink = std::function<void(Level, std::string_view message)>;

// Replaces the sink; an empty one brings back the default, which writes warnings and
// errors to stderr.
void set_sink(Sink sink);

// While it lives, this thread says nothing: simulated pools are not news.
class Mute {
 public:
  Mute();
  Mute(const Mute&) = delete;
  Mute& operator=(const Mute&) = delete;
  ~Mute();
};

void write(Level level, std::string_view message);
inline void info(std::string_view message) { write(Level::info, message); }
inline void warning(std::string_view message) { write(Level::warning, message); }

}  // namespace forebay::log
