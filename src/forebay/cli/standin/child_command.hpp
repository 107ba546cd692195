// ChildCommand: a command that runs for as long as something of ours is there for it, on the same
// terminal, with variables of its own in its environment.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "forebay/base/error.hpp"

namespace forebay::cli {

class ChildCommand {
 public:
  // Words as a shell would give them; the first is looked up in PATH. Variables replace those of
  // our own environment; without a value they are taken away.
  using Variables = std::vector<std::pair<std::string, std::optional<std::string>>>;
  static Result<ChildCommand> start(const std::vector<std::string>& words,
                                    const Variables& variables);
  ChildCommand(ChildCommand&& other) noexcept : process_(std::exchange(other.process_, 0)) {}
  ChildCommand& operator=(ChildCommand&&) = delete;
  ~ChildCommand();  // waits for it

  // How it ended, as a shell tells: 128 + signal if one killed it. Nothing: it runs.
  std::optional<int> exit_code();
  void ask_to_end() const;

 private:
  explicit ChildCommand(pid_t process) : process_(process) {}

  pid_t process_;
};

}  // namespace forebay::cli
