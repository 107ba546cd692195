// Machine: what code may learn from the machine it runs on, besides the time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"

namespace forebay {

class Machine {
 public:
  virtual ~Machine() = default;
  // An environment variable, as it was when the process started. One that is empty is not set.
  virtual std::optional<std::string> variable(std::string_view name) const = 0;
  // Those that are set and begin so, in alphabetical order.
  virtual std::vector<std::string> variables_that_begin_with(std::string_view prefix) const = 0;
  // A small file, whole. For tasks of the scheduler, which it does not block. Errc::invalid: there
  // is no such file, or it cannot be read, and why.
  virtual Task<Result<std::string>> read_file(std::string path) = 0;
};

}  // namespace forebay
