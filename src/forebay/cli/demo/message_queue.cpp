#include "forebay/cli/demo/message_queue.hpp"

#include <utility>

#include "forebay/base/log.hpp"

namespace forebay::cli {

MessageQueue::MessageQueue() {
  log::set_sink([this](const log::Event& event) {
    MutexLock lock(mutex_);
    events_.emplace_back(event);
  });
}

// A sink may still run on another thread when it has been replaced: those who log must have ended
// before.
MessageQueue::~MessageQueue() {
  log::write_all_repeats();
  log::set_sink({});
  for (const log::KeptEvent& kept : take()) log::write_to_stderr(kept.event());
}

std::vector<log::KeptEvent> MessageQueue::take() {
  MutexLock lock(mutex_);
  return std::exchange(events_, {});
}

}  // namespace forebay::cli
