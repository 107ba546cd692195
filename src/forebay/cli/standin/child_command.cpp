#include "forebay/cli/standin/child_command.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace forebay::cli {
namespace {

std::vector<std::string> environment_with(const ChildCommand::Variables& variables) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_replaced = std::ranges::any_of(
        variables, [name](const auto& variable) { return variable.first == name; });
    if (!is_replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : variables) {
    if (value) all.push_back(fmt::format("{}={}", name, *value));
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

// It hears the signals that this process waits for by itself.
Result<ChildCommand> ChildCommand::start(const std::vector<std::string>& words,
                                         const Variables& variables) {
  std::vector<std::string> command = words;
  std::vector<std::string> environment = environment_with(variables);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t process = 0;
  const int problem = ::posix_spawnp(&process, command.front().c_str(), nullptr, &attributes,
                                     pointers_to(command).data(), pointers_to(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  if (problem == 0) return ChildCommand(process);
  return failure(Errc::invalid,
                 fmt::format("\"{}\" cannot be run: {}", words.front(), std::strerror(problem)));
}

ChildCommand::~ChildCommand() {
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
}

std::optional<int> ChildCommand::exit_code() {
  int status = 0;
  if (process_ <= 0 || ::waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
  process_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void ChildCommand::ask_to_end() const {
  if (process_ > 0) ::kill(process_, SIGTERM);
}

}  // namespace forebay::cli
