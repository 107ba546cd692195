// ChildProcess: a program that runs below this process and never outlives it.
//
// The kernel ends the child when the *thread* that started it ends, so start it from a thread that
// lives as long as the child should. Not thread-safe.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "forebay/base/error.hpp"

namespace forebay::embedded {

// Whom to become before running; PostgreSQL refuses to run as root.
struct Account {
  uid_t user;
  gid_t group;
};

struct Command {
  std::vector<std::string> words;  // the first is the path of the program
  std::optional<Account> account;
  std::filesystem::path output;  // where stdout and stderr are appended
  int signal_if_orphaned = 9;
  // NAME=value: besides a plain path, language and time zone, all that the program finds.
  std::vector<std::string> variables{};
};

class ChildProcess {
 public:
  static Result<ChildProcess> start(const Command& command);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // kills it if it still runs

  pid_t pid() const { return pid_; }
  void send(int signal) const;
  // The exit status (128 + signal if killed) once it has ended.
  std::optional<int> exit_status();
  std::optional<int> wait(std::chrono::milliseconds limit);

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_;
  std::optional<int> status_;
};

// Starts a program and waits for its end. The error carries what it wrote.
Result<void> run_to_end(const Command& command, std::chrono::milliseconds limit);

// A pause, in a place where there is no scheduler.
void pause(std::chrono::milliseconds time);

std::string read_file(const std::filesystem::path& path);  // empty if there is none

}  // namespace forebay::embedded
