#include "forebay/cli/text/terminal.hpp"

#include <cstdlib>

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "forebay/cli/crash.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay::cli {
namespace {

constexpr std::string_view kHideCursor = "\x1b[?25l";
constexpr std::string_view kShowCursor = "\x1b[?25h";
constexpr std::string_view kNoWrap = "\x1b[?7l";
constexpr std::string_view kWrap = "\x1b[?7h";
constexpr std::string_view kClearBelow = "\x1b[J";
constexpr std::string_view kClearLine = "\x1b[2K";
constexpr std::string_view kClearScreen = "\x1b[2J\x1b[H";

// What a crash must put back. Its handler can reach nothing but globals.
struct Rescue {
  bool has_modes = false;
  termios modes{};
};
Rescue rescue;

void write_out(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count <= 0) return;  // the terminal is gone, and nobody misses the rest
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void restore_modes() {
  if (rescue.has_modes) ::tcsetattr(STDIN_FILENO, TCSANOW, &rescue.modes);
  rescue.has_modes = false;
}

// Calls only what is safe in a handler.
void put_back() {
  write_out(kWrap);
  write_out(kShowCursor);
  restore_modes();
}

// Ctrl-C and Ctrl-Z become keys, and keys are not shown. As signals they would reach the throw-away
// server as well, which would end or stop in the middle of its work.
bool take_keys() {
  const bool is_ours = ::isatty(STDIN_FILENO) == 1 && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  if (!is_ours || ::tcgetattr(STDIN_FILENO, &rescue.modes) != 0) return false;
  termios modes = rescue.modes;
  modes.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  modes.c_cc[VINTR] = _POSIX_VDISABLE;
  modes.c_cc[VSUSP] = _POSIX_VDISABLE;
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  rescue.has_modes = ::tcsetattr(STDIN_FILENO, TCSANOW, &modes) == 0;
  return rescue.has_modes;
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = variable(name);
    if (!value.empty()) return value.contains("UTF-8") || value.contains("utf8");
  }
  return false;
}

bool shows_terminal() {
  return ::isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb" && variable("TERM") != "";
}

struct Size {
  int width = 80;
  int height = 24;
};

Size size_of_terminal() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace

TextStyle output_style() {
  return TextStyle{size_of_terminal().width, shows_terminal() && variable("NO_COLOR").empty(),
                   speaks_utf8()};
}

Terminal::Terminal() : is_live_(shows_terminal()) {
  if (!is_live_) return;
  FOREBAY_CHECK(!rescue.has_modes, "one Terminal at a time");
  has_keys_ = take_keys();
  add_crash_action(&put_back);
  write_out(kHideCursor);
}

TextStyle Terminal::style() const { return output_style(); }

// Lines are never wider than the terminal was when they were drawn, so each is one row, unless the
// terminal has become narrower since.
void Terminal::go_to_top(std::string& out) const {
  if (drawn_.empty()) return;
  if (size_of_terminal().width < drawn_width_) {
    out += kClearScreen;
    return;
  }
  out += "\r";
  if (drawn_.size() > 1) out += "\x1b[" + std::to_string(drawn_.size() - 1) + "A";
}

// One write, and no line is cleared before it is drawn again: nothing flickers. There is no line
// end after the last line, so the block may fill the whole height.
void Terminal::draw(const std::vector<std::string>& lines) {
  if (!is_live_) return;
  std::string out;
  go_to_top(out);
  const Size size = size_of_terminal();
  if (lines.size() < drawn_.size()) out += kClearBelow;
  drawn_ = lines;
  drawn_width_ = size.width;
  if (drawn_.size() > static_cast<std::size_t>(size.height)) {
    drawn_.resize(static_cast<std::size_t>(size.height));
  }
  out += kNoWrap;
  for (std::size_t i = 0; i < drawn_.size(); ++i) {
    if (i > 0) out += "\r\n";
    out.append(kClearLine).append(drawn_[i]);
  }
  out += kWrap;
  write_out(out);
}

void Terminal::print_above(std::string_view line) {
  if (!is_live_) return;
  std::string out;
  go_to_top(out);
  out.append(kClearBelow).append(line).append("\r\n");
  write_out(out);
  const std::vector<std::string> lines = std::move(drawn_);
  drawn_.clear();
  draw(lines);
}

void Terminal::leave() {
  if (!is_live_) return;
  is_live_ = false;
  std::string out;
  go_to_top(out);
  out.append(kClearBelow).append(kShowCursor);
  write_out(out);
  restore_modes();
  remove_crash_action(&put_back);
}

}  // namespace forebay::cli
