// The library's voice: one line an event, into a sink that the application may replace.
//
//   log::info("Reservoir initial fill complete", {field("pool", name), field("size", 50)});
//
// What an event is stands in log_event.hpp. Floods are held back and counted; docs/logs.md lists
// all events. Thread-safe. A level that is off costs a comparison. Logging never fails: what a
// sink throws stays here.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>

#include "forebay/base/log_event.hpp"

namespace forebay::log {

enum class Format : std::uint8_t { text, json };

// Runs on the thread that logs, one event at a time on each, outside of all locks. While it runs,
// that thread waits: mostly the one that opens and closes connections. So it must not block for
// long; a slow one delays refilling, and never a caller that finds a connection ready. If it
// throws, the event goes to stderr.
using Sink = std::function<void(const Event&)>;

// Replaces the sink; an empty one brings back the default, which writes to stderr. A thread that is
// inside the old one stays there until it is done: what it uses must outlive all that log.
void set_sink(Sink sink);
// The default: one line, at once, as the format says.
void write_to_stderr(const Event& event);
// Text unless told otherwise.
void set_format(Format format);

// Events below it are not made at all, for whatever sink. Level::warning unless told otherwise.
void set_level(Level level);
// The same, if nobody has called set_level().
void suggest_level(Level level);
bool is_on(Level level);

// While it lives, this thread says nothing: simulated pools are not news.
class Mute {
 public:
  Mute();
  Mute(const Mute&) = delete;
  Mute& operator=(const Mute&) = delete;
  ~Mute();
};

// REQUIRES: the message is a constant sentence that docs/logs.md explains.
void write(Level level, std::string_view message, std::initializer_list<Field> fields = {});
inline void debug(std::string_view message, std::initializer_list<Field> fields = {}) {
  write(Level::debug, message, fields);
}
inline void info(std::string_view message, std::initializer_list<Field> fields = {}) {
  write(Level::info, message, fields);
}
inline void warning(std::string_view message, std::initializer_list<Field> fields = {}) {
  write(Level::warning, message, fields);
}
inline void error(std::string_view message, std::initializer_list<Field> fields = {}) {
  write(Level::error, message, fields);
}

// Repeats that were held back are logged when their time has come, if somebody logs or calls this:
// pools do, once a second. Cheap if there are none.
void write_repeats();
// The same whether their time has come or not: for a process that is about to end.
void write_all_repeats();

}  // namespace forebay::log
