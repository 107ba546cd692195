#include <CLI/CLI.hpp>

#include "forebay/cli/command.hpp"
#include "forebay/cli/sim/simulate.hpp"

namespace forebay::cli {
namespace {

constexpr const char* kExamples = R"(
FILE is a scenario in YAML, or the name of a shipped one; without it: local.

Examples:
  forebay sim                              four services on one machine
  forebay sim --list                       what else is shipped
  forebay sim tenant-storm                 one of them, with the seed that it names
  forebay sim fleet.yaml --report fleet.html --out fleet.csv
                                           plots and numbers of every second
  forebay sim fleet.yaml --seeds 1..1000   a thousand worlds, on all cores
  forebay sim fleet.yaml --seed 17         one of them again, exactly as it was
  forebay sim local --json | jq .wait_seconds     for scripts: one JSON object on stdout

The same scenario and seed give the same run, event by event, on every machine.
On a terminal there is a progress line, and Ctrl-C or q ends the run; in a pipe only
the result is printed. Files appear when they are complete, or not at all.
Exit code: 0 everything held, 1 an assertion or a promise did not, 2 for a command
line or a scenario that makes no sense, 130 if interrupted. NO_COLOR switches colours
off.)";

class SimCommand : public Command {
 public:
  CommandText text() const override {
    return {"sim", "Run a deployment in virtual time, before it exists", kExamples, "[FILE]",
            "one scenario can follow \"sim\", and options"};
  }
  void add_options(CLI::App& app) override;
  bool take(const std::string& word) override {
    if (arguments_.file) return false;
    arguments_.file = word;
    return true;
  }
  int run(Problems& problems) override {
    const SimOptions options = read(arguments_, problems);
    return problems.empty() ? simulate(options) : kBadCommandLine;
  }

 private:
  SimArguments arguments_;
};

void SimCommand::add_options(CLI::App& app) {
  const auto add = [&app](const char* name, std::optional<std::string>& value, const char* type,
                          const char* help) {
    app.add_option(name, value, help)->type_name(type)->take_last();
  };
  app.option_defaults()->group("What to run");
  add("--seed", arguments_.seed, "N", "instead of the scenario's own seed");
  add("--seeds", arguments_.seeds, "A..B", "every seed from A to B; N means 1..N");
  add("--jobs", arguments_.jobs, "N", "with --seeds: worlds at once; default: all cores");
  add("--duration", arguments_.duration, "TIME", "virtual time, instead of the scenario's own");
  app.option_defaults()->group("Output");
  add("--out", arguments_.out, "FILE", "every sample as CSV");
  add("--report", arguments_.report, "FILE", "one HTML page with plots");
  app.add_flag("--json", arguments_.is_json, "the result as one JSON object on stdout");
  app.add_flag("--quiet", arguments_.is_quiet, "only what did not hold");
  app.add_flag("--list", arguments_.is_list, "the shipped scenarios; nothing is run");
}

}  // namespace

std::unique_ptr<Command> make_sim_command() { return std::make_unique<SimCommand>(); }

}  // namespace forebay::cli
