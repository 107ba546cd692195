#include "forebay/env/real/child_program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace forebay::real {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr std::size_t kKeptErrors = 4096;
// How soon a stop is noticed, and the end of a program that has closed its output before.
constexpr milliseconds kLook{20};

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  bool is_open() const { return ends_[0] >= 0; }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_reading() { close_end(0); }
  void close_writing() { close_end(1); }

 private:
  void close_end(std::size_t index) {
    if (ends_[index] >= 0) ::close(ends_[index]);
    ends_[index] = -1;
  }

  std::array<int, 2> ends_{-1, -1};
};

// How the child differs from us.
class SpawnPlan {
 public:
  SpawnPlan(int out, int err) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    // Our threads block signals, and an application may ignore some; the program expects neither.
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::unexpected<Error> not_started(const ChildProgram& program, int problem) {
  return failure(Errc::invalid, fmt::format("{} cannot be started: {}", program.words.front(),
                                            std::generic_category().message(problem)));
}

class Child {
 public:
  Child(const ChildProgram& program, Duration limit, const std::atomic<bool>& is_stopped)
      : program_(program),
        is_stopped_(is_stopped),
        // A century is long enough, and further away than any clock reaches.
        end_(Clock::now() + std::min<Duration>(limit, std::chrono::years(100))) {}

  Result<ProgramEnd> run() {
    if (!out_.is_open() || !err_.is_open()) return not_started(program_, errno);
    std::vector<std::string> words = program_.words;
    std::vector<std::string> variables = program_.variables;
    const SpawnPlan plan(out_.writing(), err_.writing());
    const int problem =
        ::posix_spawnp(&pid_, program_.words.front().c_str(), plan.actions(), plan.attributes(),
                       pointers(words).data(), pointers(variables).data());
    if (problem != 0) return not_started(program_, problem);
    out_.close_writing();
    err_.close_writing();
    if (const std::optional<Error> trouble = read_to_end()) {
      ::kill(-pid_, SIGKILL);
      wait_for_end(0);
      return failure(*trouble);
    }
    return ProgramEnd(status_, std::move(out_text_), std::move(err_text_));
  }

 private:
  // Until both pipes have ended and the program has, too.
  std::optional<Error> read_to_end() {
    while (out_.reading() >= 0 || err_.reading() >= 0) {
      if (const auto trouble = look_at_clock()) return trouble;
      std::array<pollfd, 2> pipes{{{out_.reading(), POLLIN, 0}, {err_.reading(), POLLIN, 0}}};
      if (::poll(pipes.data(), pipes.size(), static_cast<int>(kLook.count())) <= 0) continue;
      if (pipes[0].revents != 0) take(out_, out_text_);
      if (pipes[1].revents != 0) take(err_, err_text_);
      if (out_text_.size() > kMostOutput)
        return Error(Errc::invalid, fmt::format("{} writes more than {} KiB",
                                                program_.words.front(), kMostOutput >> 10));
      if (err_text_.size() > kKeptErrors) err_text_.erase(0, err_text_.size() - kKeptErrors);
    }
    while (!wait_for_end(WNOHANG)) {
      if (const auto trouble = look_at_clock()) return trouble;
      ::poll(nullptr, 0, static_cast<int>(kLook.count()));
    }
    return std::nullopt;
  }

  std::optional<Error> look_at_clock() const {
    if (is_stopped_)
      return Error(Errc::closed, fmt::format("{} was ended: nobody waits for it any more",
                                             program_.words.front()));
    if (Clock::now() < end_) return std::nullopt;
    return Error(Errc::timed_out,
                 fmt::format("{} was not done in time, and was ended", program_.words.front()));
  }

  static void take(Pipe& pipe, std::string& text) {
    std::array<char, 4096> part;
    const ssize_t count = ::read(pipe.reading(), part.data(), part.size());
    if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) pipe.close_reading();
  }

  bool wait_for_end(int options) {
    int status = 0;
    pid_t found = 0;
    do found = ::waitpid(pid_, &status, options);
    while (found < 0 && errno == EINTR);
    if (found == 0) return false;
    // An application that ignores SIGCHLD, or waits for all its children, has taken the status.
    // Then what the program wrote must do.
    if (found > 0) status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  }

  const ChildProgram& program_;
  const std::atomic<bool>& is_stopped_;
  const Clock::time_point end_;
  Pipe out_;
  Pipe err_;
  std::string out_text_;
  std::string err_text_;
  pid_t pid_ = -1;
  int status_ = 0;
};

}  // namespace

Result<ProgramEnd> run_child(const ChildProgram& program, Duration limit,
                             const std::atomic<bool>& is_stopped) {
  if (program.words.empty()) return failure(Errc::invalid, "there is no program to be started");
  Child child(program, limit, is_stopped);
  return child.run();
}

}  // namespace forebay::real
