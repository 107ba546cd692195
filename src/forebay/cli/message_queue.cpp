#include "forebay/cli/message_queue.hpp"

#include <utility>

#include "forebay/base/log.hpp"

namespace forebay::cli {

MessageQueue::MessageQueue() {
  log::set_sink([this](log::Level level, std::string_view message) {
    if (level < log::Level::warning) return;
    MutexLock lock(mutex_);
    messages_.emplace_back(message);
  });
}

// A sink may still run on another thread when it has been replaced: whoever logs must have ended
// before.
MessageQueue::~MessageQueue() {
  log::set_sink({});
  for (const std::string& message : take()) log::warning(message);
}

std::vector<std::string> MessageQueue::take() {
  MutexLock lock(mutex_);
  return std::exchange(messages_, {});
}

}  // namespace forebay::cli
