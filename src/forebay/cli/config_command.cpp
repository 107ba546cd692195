#include <cstdio>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "forebay/base/suggestion.hpp"
#include "forebay/cli/command.hpp"
#include "forebay/cli/config_view.hpp"
#include "forebay/cli/secrets.hpp"
#include "forebay/config/read_configuration.hpp"
#include "forebay/config/reference.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::cli {
namespace {

constexpr const char* kConfigExamples = R"(
ACTION is one of
  check [FILE]   read the file, if there is one, and the environment, and show what holds:
                 each value and where it came from, without secrets; or everything that
                 is wrong
  reference      print all keys and variables as a Markdown page

Examples:
  forebay config check
  forebay config check service.yaml
  DB_HOST=db.example DB_MAX_CONNECTIONS=50 forebay config check
  forebay config check service.yaml --json | jq '.settings["pool.max"]'
  forebay config reference > docs/configuration.md

A variable counts more than the file, the file more than the default. Without FILE the
one that FOREBAY_CONFIG names is read. Nothing is connected to.
Exit code: 0, 2 if the configuration or the command line makes no sense.)";

void write_whole(const std::string& text, std::FILE* where = stdout) {
  std::fputs(text.c_str(), where);
  std::fflush(where);
}

class ConfigCommand : public Command {
 public:
  CommandText text() const override {
    return {"config", "Check a configuration, or print the reference of all settings",
            kConfigExamples, "ACTION [FILE]",
            "one action can follow \"config\", a file behind \"check\", and options"};
  }
  void add_options(CLI::App& app) override {
    app.option_defaults()->group("Output");
    app.add_flag("--json", is_json_, "check: JSON, one object on one line");
  }
  bool take(const std::string& word) override {
    std::optional<std::string>& place = action_ ? file_ : action_;
    if (place) return false;
    place = word;
    return true;
  }
  int run(Problems& problems) override;

 private:
  int check(Problems& problems) const;

  std::optional<std::string> action_;
  std::optional<std::string> file_;
  bool is_json_ = false;
};

int ConfigCommand::run(Problems& problems) {
  const bool is_reference = action_ == "reference";
  if (!action_) {
    // Otherwise it may be among the words that nobody understood.
    if (problems.empty()) problems.emplace_back("what to do is missing: one of check, reference");
  } else if (!is_reference && action_ != "check") {
    const std::string meant = nearest(*action_, {"check", "reference"});
    problems.push_back(fmt::format(
        "{} is nothing to do with a configuration: it must be check or reference{}",
        shown(*action_), meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  }
  if (is_reference && (file_ || is_json_))
    problems.emplace_back("reference takes neither a file nor options");
  if (!problems.empty()) return kBadCommandLine;
  if (!is_reference) return check(problems);
  write_whole(config::reference());
  return kDone;
}

int ConfigCommand::check(Problems& problems) const {
  Runtime runtime;
  const ConfigurationReading reading =
      run_blocking(runtime.scheduler(), read_configuration(runtime.machine(), file_.value_or("")));
  problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
  if (is_json_) {
    write_whole(configuration_json(reading));
  } else if (problems.empty()) {
    write_whole(configuration_text(reading.configuration));
  } else {
    for (const std::string& warning : reading.configuration.warnings)
      write_whole(fmt::format("forebay config: warning: {}\n", warning), stderr);
  }
  return problems.empty() ? kDone : kBadCommandLine;
}

}  // namespace

std::unique_ptr<Command> make_config_command() { return std::make_unique<ConfigCommand>(); }

}  // namespace forebay::cli
