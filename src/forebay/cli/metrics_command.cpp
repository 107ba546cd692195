#include <cstdio>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "forebay/cli/command.hpp"
#include "forebay/cli/secrets.hpp"
#include "forebay/metrics/metric_table.hpp"

namespace forebay::cli {
namespace {

constexpr const char* kMetricsExamples = R"(
ACTION is
  reference      print all metrics as a Markdown page

Examples:
  forebay metrics reference > docs/metrics.md
  forebay metrics reference | grep reservoir

"forebay demo --metrics" serves them on one machine.
Exit code: 0, 2 for a command line that makes no sense.)";

class MetricsCommand : public Command {
 public:
  CommandText text() const override {
    return {"metrics", "Print the reference of all metrics", kMetricsExamples, "ACTION",
            "one action can follow \"metrics\""};
  }
  void add_options(CLI::App&) override {}
  bool take(const std::string& word) override {
    if (action_) return false;
    action_ = word;
    return true;
  }
  int run(Problems& problems) override {
    if (!action_) {
      if (problems.empty()) problems.emplace_back("what to do is missing: reference");
    } else if (action_ != "reference") {
      problems.push_back(
          fmt::format("{} is nothing to do with metrics: it must be reference", shown(*action_)));
    }
    if (!problems.empty()) return kBadCommandLine;
    std::fputs(metrics_reference().c_str(), stdout);
    return std::fflush(stdout) == 0 ? kDone : 1;
  }

 private:
  std::optional<std::string> action_;
};

}  // namespace

std::unique_ptr<Command> make_metrics_command() { return std::make_unique<MetricsCommand>(); }

}  // namespace forebay::cli
