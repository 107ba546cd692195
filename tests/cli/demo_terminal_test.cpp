// The demo on a terminal: it draws in place, Ctrl-C is a key, and the terminal is left as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <termios.h>

#include "cli/program.hpp"

namespace forebay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHideCursor = "\x1b[?25l";
constexpr const char* kShowCursor = "\x1b[?25h";

// The program with a terminal of 80 by 24 as its own.
class TerminalProgram {
 public:
  explicit TerminalProgram(std::vector<std::string> arguments, const char* variable = nullptr) {
    arguments.insert(arguments.begin(), FOREBAY_PROGRAM);
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
  bool read_until(std::string_view text) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
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

TEST(DemoTerminalTest, CtrlCEndsTheViewAndLeavesTheSummary) {
  TerminalProgram program({"demo"});
  ASSERT_TRUE(program.read_until("0:01")) << program.seen();
  EXPECT_FALSE(program.echoes());

  program.type("\x03");

  EXPECT_EQ(program.wait(), 0);
  EXPECT_TRUE(program.echoes());
  EXPECT_THAT(program.seen(), AllOf(HasSubstr("starting a throw-away PostgreSQL"),
                                    HasSubstr(kHideCursor), HasSubstr("\x1b[32m")));
  const std::size_t shown_again = program.seen().rfind(kShowCursor);
  ASSERT_NE(shown_again, std::string::npos);
  EXPECT_THAT(
      program.seen().substr(shown_again),
      AllOf(HasSubstr("forebay demo: "), HasSubstr(", 0 failed"), Not(HasSubstr(kHideCursor))));
}

TEST(DemoTerminalTest, WithNoColorThereAreNoColours) {
  TerminalProgram program({"demo", "--seconds", "1"}, "NO_COLOR");

  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(program.seen(), AllOf(HasSubstr("connections"), Not(HasSubstr("\x1b[32m")),
                                    Not(HasSubstr("\x1b[0m"))));
}

TEST(DemoTerminalTest, AnErrorLeavesTheTerminalAsItWas) {
  TerminalProgram program(
      {"demo", "--fill-limit", "300ms", "--database", "postgresql://app@127.0.0.1:1/x"});

  EXPECT_EQ(program.wait(), 1);
  EXPECT_TRUE(program.echoes());
  const std::string after = program.seen().substr(program.seen().rfind(kShowCursor));
  EXPECT_THAT(after, HasSubstr("forebay demo: no connection to"));
}

TEST(DemoTerminalTest, ACrashLeavesTheTerminalAsItWas) {
  TerminalProgram program({"demo", "--database", "postgresql://app@127.0.0.1:1/x"});
  ASSERT_TRUE(program.read_until("filling"));

  program.send(SIGABRT);

  EXPECT_EQ(program.wait(), 128 + SIGABRT);
  EXPECT_TRUE(program.echoes());
  EXPECT_GT(program.seen().rfind(kShowCursor), program.seen().rfind(kHideCursor));
}

}  // namespace
}  // namespace forebay::cli
