#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "forebay/cli/command.hpp"
#include "forebay/cli/doctor/doctor_options.hpp"
#include "forebay/cli/doctor/doctor_view.hpp"
#include "forebay/cli/text/terminal.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::cli {
namespace {

constexpr const char* kDoctorExamples = R"(
Looks at the configuration, the database, credentials and token, the clock, the tables
in DynamoDB, the counter and its leases, demand against limits, settings that do not
fit together, and with --metrics at a running instance. Each finding says what was
seen, why it matters and what to do.

Examples:
  forebay doctor
  forebay doctor --config service.yaml
  forebay doctor --config service.yaml --processes 12
  forebay doctor --metrics http://10.0.3.7:9464/metrics --for 10s
  forebay doctor --json | jq '.findings[] | select(.severity == "error")'

Nothing is changed: one connection is opened and closed, and permissions are tried with
writes whose condition never holds. Without --config the file that FOREBAY_CONFIG names
is read, and the environment in any case, as the service does it. FOREBAY_METRICS_URL
stands for --metrics. docs/doctor.md says more.
Exit code: 0 if all is well, 1 for warnings, 2 for errors or a command line that makes
no sense.)";

constexpr int kWarnings = 1;
constexpr int kErrors = 2;

class DoctorCommand : public Command {
 public:
  CommandText text() const override {
    return {"doctor", "Look for what is wrong with a service's database, and say what to do",
            kDoctorExamples, "", "only options can follow \"doctor\""};
  }
  void add_options(CLI::App& app) override;
  int run(Problems& problems) override;

 private:
  doctor::DoctorReport examine(Runtime& runtime, const doctor::DoctorOptions& options) const;

  DoctorArguments arguments_;
};

void DoctorCommand::add_options(CLI::App& app) {
  const auto add = [&app](const char* name, auto& value, const char* type, const char* help) {
    return app.add_option(name, value, help)->type_name(type)->take_last();
  };
  app.option_defaults()->group("What to look at");
  add("--config", arguments_.config, "FILE", "the service's configuration");
  add("--metrics", arguments_.metrics, "URL", "the metrics of a running instance");
  add("--for", arguments_.watch, "TIME", "how long to watch that instance")
      ->default_str(arguments_.watch);
  add("--processes", arguments_.processes, "N",
      "how many processes there are; default: those that hold leases");
  add("--timeout", arguments_.timeout, "TIME", "how long a request may take")
      ->default_str(arguments_.timeout);
  app.option_defaults()->group("Output");
  app.add_flag("--json", arguments_.is_json, "JSON, one object on one line");
}

doctor::DoctorReport DoctorCommand::examine(Runtime& runtime,
                                            const doctor::DoctorOptions& options) const {
  const bool is_watched = !arguments_.is_json && ::isatty(STDERR_FILENO) == 1;
  const doctor::DoctorEnv env{{runtime.env(), runtime.http(), runtime.machine()},
                              postgres::libpq_env(runtime)};
  doctor::Doctor doctor(env, options);
  while (!doctor.next().empty()) {
    if (is_watched) std::fputs(fmt::format("looking at {} ...\n", doctor.next()).c_str(), stderr);
    run_blocking(runtime.scheduler(), doctor.step());
  }
  run_blocking(runtime.scheduler(), doctor.close());
  if (is_watched) std::fputs("\n", stderr);
  return doctor.report();
}

int DoctorCommand::run(Problems& problems) {
  Runtime runtime;
  const doctor::DoctorOptions options =
      read(arguments_, runtime.machine().variable(kMetricsUrlVariable), problems);
  if (!problems.empty()) return kBadCommandLine;
  const doctor::DoctorReport report = examine(runtime, options);
  const std::string text =
      arguments_.is_json ? doctor_json(report) : doctor_text(report, output_style());
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  switch (worst(report.findings)) {
    case doctor::Severity::error: return kErrors;
    case doctor::Severity::warning: return kWarnings;
    default: return kDone;
  }
}

}  // namespace

std::unique_ptr<Command> make_doctor_command() { return std::make_unique<DoctorCommand>(); }

}  // namespace forebay::cli
