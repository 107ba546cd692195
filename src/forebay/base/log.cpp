#include "forebay/base/log.hpp"

#include <cstdio>
#include <utility>

#include "forebay/base/mutex.hpp"

namespace forebay::log {
namespace {

struct SinkHolder {
  Mutex mutex;
  Sink sink FOREBAY_GUARDED_BY(mutex);
};

// Never destroyed: threads may still log while the process exits.
SinkHolder& holder() {
  static SinkHolder* const instance = new SinkHolder;
  return *instance;
}

thread_local int mutes = 0;

}  // namespace

Mute::Mute() { ++mutes; }

Mute::~Mute() { --mutes; }

std::string_view name(Level level) {
  switch (level) {
    case Level::debug: return "debug";
    case Level::info: return "info";
    case Level::warning: return "warning";
    case Level::error: return "error";
  }
  std::unreachable();
}

void set_sink(Sink sink) {
  MutexLock lock(holder().mutex);
  holder().sink = std::move(sink);
}

void write(Level level, std::string_view message) {
  if (mutes > 0) return;
  Sink sink;
  {
    MutexLock lock(holder().mutex);
    sink = holder().sink;
  }
  if (sink) {
    sink(level, message);
  } else if (level >= Level::warning) {
    const std::string_view level_name = name(level);
    std::fprintf(stderr, "forebay %.*s: %.*s\n", static_cast<int>(level_name.size()),
                 level_name.data(), static_cast<int>(message.size()), message.data());
  }
}

}  // namespace forebay::log
