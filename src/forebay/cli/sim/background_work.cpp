#include "forebay/cli/sim/background_work.hpp"

#include <optional>

#include "forebay/cli/text/terminal.hpp"

namespace forebay::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{500};  // what ends sooner needs no progress
constexpr milliseconds kStep{50};       // how soon an interrupt is noticed
constexpr milliseconds kFrame{200};

}  // namespace

void attend(BackgroundWork& work, Interrupt& interrupt, const ProgressLine& line) {
  const Clock::time_point begun = Clock::now();
  std::optional<Terminal> terminal;
  Duration next_frame = kPatience;
  while (!work.wait(kStep)) {
    if (interrupt.wait(milliseconds(0))) {
      work.stop();
      terminal.reset();  // Ctrl-C is a signal again: a second one ends the process at once
      continue;
    }
    const Duration elapsed = Clock::now() - begun;
    if (!line || elapsed < next_frame) continue;
    next_frame = elapsed + kFrame;
    if (!terminal) {
      terminal.emplace();
      interrupt.listen_to_keys(terminal->keys());
    }
    terminal->draw({line(elapsed, terminal->style())});
  }
  interrupt.listen_to_keys(-1);
}

}  // namespace forebay::cli
