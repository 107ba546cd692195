// BackgroundWork: something that threads of its own do, while the main thread keeps an eye on the
// terminal and an ear for Ctrl-C.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "forebay/cli/interrupt.hpp"
#include "forebay/cli/text/styled_line.hpp"
#include "forebay/env/time.hpp"

namespace forebay::cli {

class BackgroundWork {
 public:
  virtual ~BackgroundWork() = default;

  // Waits that long at most. True: it has ended, and no thread of it runs any more.
  virtual bool wait(std::chrono::milliseconds limit) = 0;
  // Asks it to end soon, before it is done.
  virtual void stop() = 0;
};

// One line that says how far it is after that time.
using ProgressLine = std::function<std::string(Duration elapsed, const TextStyle& style)>;

// Returns when the work has ended; an interrupt stops it. Without a line, in a pipe, and for the
// first half second nothing is shown.
void attend(BackgroundWork& work, Interrupt& interrupt, const ProgressLine& line);

}  // namespace forebay::cli
