// MessageQueue: while it lives, the library's warnings wait here until somebody fetches them, so
// that they do not run into a view on the same terminal. Fetched or not, none is lost: the rest
// goes to stderr in the end.
#pragma once

#include <string>
#include <vector>

#include "forebay/base/mutex.hpp"

namespace forebay::cli {

class MessageQueue {
 public:
  MessageQueue();
  MessageQueue(const MessageQueue&) = delete;
  MessageQueue& operator=(const MessageQueue&) = delete;
  ~MessageQueue();

  std::vector<std::string> take() FOREBAY_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::vector<std::string> messages_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::cli
