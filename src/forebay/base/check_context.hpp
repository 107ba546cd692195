// CheckContext: while it lives, whatever stops the process on this thread also says where it was: a
// simulated world tells its seed and its time.
#pragma once

#include <functional>
#include <string>

#include "forebay/detail/base/check.hpp"

namespace forebay {

class CheckContext {
 public:
  explicit CheckContext(std::function<std::string()> text);
  CheckContext(const CheckContext&) = delete;
  CheckContext& operator=(const CheckContext&) = delete;
  ~CheckContext();

 private:
  friend void check_failed(const char*, const char*, int, std::string_view);
  std::function<std::string()> text_;
  CheckContext* const outer_;
};

}  // namespace forebay
