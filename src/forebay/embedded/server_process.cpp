// fork and exec. Between the two only calls that are safe in a copy of a process with threads.
#include "forebay/embedded/server_process.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace forebay::embedded {
namespace {

constexpr std::chrono::milliseconds kPollInterval{5};
constexpr int kCannotRun = 127;

// What the child needs, made before fork: it must not allocate.
struct Prepared {
  std::vector<char*> words;
  std::vector<char*> environment;
  const Account* account;
  int output;
  int signal_if_orphaned;
  pid_t parent;
};

[[noreturn]] void become(const Prepared& prepared) {
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(prepared.output, STDOUT_FILENO);
  ::dup2(prepared.output, STDERR_FILENO);
  // A socket inherited by accident would stay open here, and its peer would never see its end.
  ::close_range(3, ~0U, 0);
  if (const Account* account = prepared.account; account != nullptr) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(account->group) != 0 ||
        ::setuid(account->user) != 0) {
      ::_exit(kCannotRun);
    }
  }
  // After setuid, which clears it.
  ::prctl(PR_SET_PDEATHSIG, prepared.signal_if_orphaned);
  if (::getppid() != prepared.parent) ::_exit(kCannotRun);
  ::execve(prepared.words[0], prepared.words.data(), prepared.environment.data());
  ::_exit(kCannotRun);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const Command& command) {
  std::vector<std::string> words = command.words;
  // Nothing of the caller's PG… variables and language may change what the server does.
  std::vector<std::string> environment{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "HOME=/"};
  environment.insert(environment.end(), command.variables.begin(), command.variables.end());
  Prepared prepared{
      {},        {}, command.account ? &*command.account : nullptr, -1, command.signal_if_orphaned,
      ::getpid()};
  for (std::string& word : words) prepared.words.push_back(word.data());
  for (std::string& variable : environment) prepared.environment.push_back(variable.data());
  prepared.words.push_back(nullptr);
  prepared.environment.push_back(nullptr);
  prepared.output = ::open(command.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (prepared.output < 0) {
    return failure(Errc::invalid, fmt::format("cannot write {}: {}", command.output.string(),
                                              std::strerror(errno)));
  }
  const pid_t pid = ::fork();
  if (pid == 0) become(prepared);
  const int error = errno;
  ::close(prepared.output);
  if (pid < 0) return failure(Errc::invalid, fmt::format("fork: {}", std::strerror(error)));
  return ChildProcess(pid);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), status_(other.status_) {}

ChildProcess::~ChildProcess() {
  if (pid_ < 0 || exit_status()) return;
  send(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void ChildProcess::send(int signal) const {
  if (!status_) ::kill(pid_, signal);
}

std::optional<int> ChildProcess::exit_status() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return status_;
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds limit) {
  for (auto waited = kPollInterval.zero(); !exit_status() && waited < limit;
       waited += kPollInterval) {
    pause(kPollInterval);
  }
  return exit_status();
}

Result<void> run_to_end(const Command& command, std::chrono::milliseconds limit) {
  Result<ChildProcess> child = ChildProcess::start(command);
  if (!child) return failure(child.error());
  const std::optional<int> status = child->wait(limit);
  if (status == 0) return {};
  return failure(Errc::invalid,
                 fmt::format("{} {}: {}", command.words.front(),
                             status ? fmt::format("ended with {}", *status) : "hangs",
                             read_file(command.output)));
}

void pause(std::chrono::milliseconds time) { ::poll(nullptr, 0, static_cast<int>(time.count())); }

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace forebay::embedded
