// Command: one thing that "forebay" can do.
//
// A command says what it is called and which options it knows. CLI11 puts what was typed into the
// object; only then is run() called, once.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace forebay::cli {

using Problems = std::vector<std::string>;

// Exit codes of every command.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kBadCommandLine = 2;
inline constexpr int kInterrupted = 130;  // as a shell reports SIGINT

struct CommandText {
  const char* name;
  const char* summary;     // one line, in the list of commands
  const char* examples;    // ends its help
  const char* operand;     // in its usage, "FILE" say; empty: it takes options only
  const char* may_follow;  // what a word that belongs to no option should have been
};

class Command {
 public:
  virtual ~Command() = default;

  virtual CommandText text() const = 0;
  virtual void add_options(CLI::App& app) = 0;
  // A word that belongs to no option. False: there is no use for it.
  virtual bool take(const std::string& word) {
    static_cast<void>(word);
    return false;
  }
  // An option behind which all words belong to another program; empty: there is none.
  virtual const char* tail_option() const { return ""; }
  virtual void take_tail(std::vector<std::string> words) { static_cast<void>(words); }
  // Returns the exit code. The problems are what is wrong already; it adds its own. If there are
  // any in the end, it has started nothing, and its caller shows them.
  virtual int run(Problems& problems) = 0;
};

std::unique_ptr<Command> make_demo_command();
std::unique_ptr<Command> make_serve_command();
std::unique_ptr<Command> make_sim_command();
std::unique_ptr<Command> make_leases_command();
std::unique_ptr<Command> make_token_command();
std::unique_ptr<Command> make_config_command();
std::unique_ptr<Command> make_metrics_command();
std::unique_ptr<Command> make_doctor_command();
std::unique_ptr<Command> make_standin_command();

}  // namespace forebay::cli
