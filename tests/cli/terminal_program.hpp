// The real program with a terminal of its own, which remembers what was drawn.
#pragma once

#include <poll.h>
#include <pty.h>
#include <termios.h>

#include "cli/program.hpp"

namespace forebay::cli {

inline constexpr const char* kHideCursor = "\x1b[?25l";
inline constexpr const char* kShowCursor = "\x1b[?25h";

// The program with a terminal of 80 by 24 as its own.
class TerminalProgram {
 public:
  explicit TerminalProgram(std::vector<std::string> arguments, const char* variable = nullptr) {
    arguments.insert(arguments.begin(), kProgram);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    const winsize size{24, 80, 0, 0};
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (pid_ != 0) return;
    ::setenv("TERM", "xterm-256color", 1);
    ::unsetenv("NO_COLOR");
    if (variable != nullptr) ::setenv(variable, "1", 1);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  ~TerminalProgram() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(terminal_);
  }

  // Reads until the text has been seen, the program has ended, or patience has.
  bool read_until(std::string_view text, std::chrono::milliseconds patience = kPatience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!seen_.contains(text) && std::chrono::steady_clock::now() < deadline) {
      pollfd ready{terminal_, POLLIN, 0};
      if (::poll(&ready, 1, 100) <= 0) continue;
      char bytes[4096];
      const ssize_t count = ::read(terminal_, bytes, sizeof bytes);
      if (count <= 0) break;  // EIO: the other side is closed
      seen_.append(bytes, static_cast<std::size_t>(count));
    }
    return seen_.contains(text);
  }
  int wait() {
    read_until("\x01 never");
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  void type(std::string_view keys) const {
    EXPECT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  void send(int signal) const { ::kill(pid_, signal); }
  bool echoes() const {
    termios modes{};
    ::tcgetattr(terminal_, &modes);
    return (modes.c_lflag & ECHO) != 0;
  }
  const std::string& seen() const { return seen_; }

 private:
  pid_t pid_ = -1;
  int terminal_ = -1;
  std::string seen_;
};

}  // namespace forebay::cli
