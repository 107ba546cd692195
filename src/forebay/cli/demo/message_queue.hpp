// MessageQueue: while it lives, the library's events wait here until somebody fetches them, so
// that they do not run into a view on the same terminal. Fetched or not, none is lost: the rest
// goes to stderr in the end.
#pragma once

#include <vector>

#include "forebay/base/log_event.hpp"
#include "forebay/detail/base/mutex.hpp"

namespace forebay::cli {

class MessageQueue {
 public:
  MessageQueue();
  MessageQueue(const MessageQueue&) = delete;
  MessageQueue& operator=(const MessageQueue&) = delete;
  ~MessageQueue();

  std::vector<log::KeptEvent> take() FOREBAY_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::vector<log::KeptEvent> events_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::cli
