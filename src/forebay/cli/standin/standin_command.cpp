#include <algorithm>
#include <cstdio>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "forebay/base/log.hpp"
#include "forebay/cli/command.hpp"
#include "forebay/cli/interrupt.hpp"
#include "forebay/cli/log_environment.hpp"
#include "forebay/cli/standin/child_command.hpp"
#include "forebay/cli/standin/standin_service.hpp"
#include "forebay/cli/standin/standin_view.hpp"
#include "forebay/standin/statements/rule_text.hpp"

namespace forebay::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook{20};
constexpr Duration kLongLook = std::chrono::seconds(1);

constexpr const char* kStandinExamples = R"(
A PostgreSQL behind the rules of Aurora DSQL: TLS with SNI, tokens that are verified,
1,000 connects at once and then 100 a second, sessions that end after 60 minutes,
REPEATABLE READ without waits, conflicts, limits of transactions.

Examples:
  forebay standin                          prints what to export
  forebay standin --for pytest tests/      a command with that environment; ends with it
  forebay standin --dynamodb               the tables of leases and rates beside it
  forebay standin --listen 5433 --json     for scripts: one line when it is ready
  forebay standin --session-age 60s --burst 20 --rate 5
  forebay standin rules                    lists what is refused, and how that is known
  forebay standin --chaos conflicts=0.1 --chaos slow-connects=250ms
  PGPASSWORD=$(forebay token --endpoint localhost) psql     from another terminal

All words behind --for belong to the command. Chaos is conflicts=FRACTION, refuse-tokens,
slow-connects=TIME, go-away=TIME, wake-up=CONNECTS; SELECT standin.conflicts(0.1) and the
like change it later. The access key is the same for everybody and protects nothing:
whoever can reach a stand-in may come in. docs/standin.md says what it does as Aurora
DSQL does and what it does not. Times are 250ms, 5s, 2m or 1h.
Exit code: that of the command; otherwise 0, 1 if it cannot start, 2 for a command line
that makes no sense.)";

class StandinCommand : public Command {
 public:
  CommandText text() const override {
    return {"standin", "Be Aurora DSQL on this machine, for tests", kStandinExamples, "[rules]",
            "only options, or \"rules\", can follow \"standin\""};
  }
  bool take(const std::string& word) override {
    if (word != "rules") return false;
    return arguments_.lists_rules = true;
  }
  const char* tail_option() const override { return "--for"; }
  void take_tail(std::vector<std::string> words) override {
    command_ = std::move(words);
    has_command_ = true;
  }
  void add_options(CLI::App& app) override;
  int run(Problems& problems) override;

 private:
  static int serve(const StandinSettings& settings);
  static void wait_for_end(Duration run_time, Interrupt& interrupt);
  static int run_command(const StandinSettings& settings, Interrupt& interrupt,
                         const StandinService& service);

  StandinArguments arguments_;
  std::vector<std::string> command_;
  bool has_command_ = false;
};

void StandinCommand::add_options(CLI::App& app) {
  const auto text = [&app](const char* name, auto& value, const char* type, const char* help) {
    return app.add_option(name, value, help)->type_name(type)->take_last();
  };
  const auto add = [&](const char* name, std::string& value, const char* type, const char* help) {
    text(name, value, type, help)->default_str(value);
  };
  const auto several = [&app](const char* name, std::vector<std::string>& values, const char* type,
                              const char* help) {
    app.add_option(name, values, help)->type_name(type)->allow_extra_args(false);
  };
  app.option_defaults()->group("Where");
  text("--postgres", arguments_.postgres, "URL", "the server behind it, as its superuser");
  text("--data", arguments_.data, "DIR", "keep the data of its own PostgreSQL there");
  text("--listen", arguments_.listen, "[ADDRESS:]PORT",
       "where clients call: 127.0.0.1:5433 unless given; with --for any port that is free");
  app.add_option("--dynamodb", arguments_.dynamodb,
                 "serve DynamoDB, too: leases and rates without Java; without a place, at "
                 "127.0.0.1:8000, with --for at any port that is free")
      ->type_name("[ADDRESS:]PORT")
      ->expected(0, 1)
      ->take_last();
  several("--name", arguments_.names, "HOST", "a further name of this machine, for clients");
  add("--region", arguments_.region, "NAME", "for which tokens are signed");
  several("--key", arguments_.keys, "ID:SECRET:ARN",
          "a further access key: whose it is may be the roles that AWS IAM GRANT says");
  text("--certificates", arguments_.certificates, "DIR",
       "put ca.pem there, for clients of other containers");
  app.option_defaults()->group("Limits");
  add("--rate", arguments_.rate, "N", "connects a second");
  add("--burst", arguments_.burst, "N", "connects at once");
  add("--connections", arguments_.connections, "N", "sessions at most");
  add("--session-age", arguments_.session_age, "TIME", "a session is cut then");
  text("--rules", arguments_.rules, "FILE",
       "what is refused: a day, switches, limits of transactions");
  app.add_flag("--free-failures", arguments_.is_failure_free,
               "connects that are denied cost nothing of the rate");
  app.add_flag("--cut-transactions", arguments_.cuts_transactions,
               "a session that is too old ends in the middle of a transaction");
  app.add_flag("--no-schema-conflicts", arguments_.has_no_schema_conflicts,
               "sessions do not hear of each other's DDL (OC001)");
  app.option_defaults()->group("Trouble");
  several("--chaos", arguments_.chaos, "WHAT", "what goes wrong on purpose");
  app.option_defaults()->group("Output");
  app.add_flag("--json", arguments_.is_json, "where it is, as one line of JSON");
  add("--seconds", arguments_.seconds, "N", "end after N seconds; 0: at Ctrl-C");
  app.add_option("--for", "run this command with it, and end with it")->type_name("COMMAND …");
}

int StandinCommand::run(Problems& problems) {
  if (has_command_ && command_.empty())
    problems.emplace_back("--for has no command: one must follow it, as in --for pytest tests/");
  const StandinSettings settings = read(arguments_, command_, problems);
  apply_log_environment(problems);
  if (!problems.empty()) return kBadCommandLine;
  if (!settings.lists_rules) return serve(settings);
  std::fputs(standin::rule_listing(settings.options.rules).c_str(), stdout);
  return kDone;
}

int StandinCommand::serve(const StandinSettings& settings) {
  Interrupt interrupt;
  Runtime runtime;
  Result<std::unique_ptr<StandinService>> service = StandinService::open(runtime, settings);
  if (!service) {
    std::fprintf(stderr, "forebay standin: %s\n", service.error().text().c_str());
    return kFailed;
  }
  if (!settings.command.empty()) return run_command(settings, interrupt, **service);
  StandinSigns signs;
  signs.place = (*service)->place();
  signs.address = settings.listen.address;
  signs.port = (*service)->port();
  signs.cluster = settings.cluster;
  signs.certificate = (*service)->certificate();
  signs.dynamodb = (*service)->dynamodb_url();
  signs.environment = (*service)->environment();
  std::fputs((settings.is_json ? json_text(signs) : shell_text(signs)).c_str(), stdout);
  std::fflush(stdout);
  wait_for_end(settings.run_time, interrupt);
  const standin::StandinCounters counters = (*service)->counters();
  (*service)->close();
  log::write_all_repeats();
  std::fputs(farewell_text(counters).c_str(), stderr);
  return kDone;
}

void StandinCommand::wait_for_end(Duration run_time, Interrupt& interrupt) {
  const bool is_endless = run_time == Duration::zero();
  for (Duration left = run_time; is_endless || left > Duration::zero();) {
    const Duration pause = is_endless ? kLongLook : std::min<Duration>(left, kLongLook);
    if (interrupt.wait(std::chrono::ceil<milliseconds>(pause))) return;
    left -= pause;
  }
}

int StandinCommand::run_command(const StandinSettings& settings, Interrupt& interrupt,
                                const StandinService& service) {
  ChildCommand::Variables variables;
  for (const auto& [name, value] : service.environment()) variables.emplace_back(name, value);
  for (const char* const name : {"AWS_SESSION_TOKEN", "AWS_PROFILE", "PGHOSTADDR", "PGSERVICE"})
    variables.emplace_back(name, std::nullopt);
  Result<ChildCommand> child = ChildCommand::start(settings.command, variables);
  if (!child) {
    std::fprintf(stderr, "forebay standin: --for: %s\n", child.error().text().c_str());
    return kFailed;
  }
  bool is_asked = false;
  for (;;) {
    if (const std::optional<int> code = child->exit_code()) return *code;
    if (is_asked) {
      std::this_thread::sleep_for(kLook);
    } else if (interrupt.wait(kLook)) {
      is_asked = true;
      child->ask_to_end();
    }
  }
}

}  // namespace

std::unique_ptr<Command> make_standin_command() { return std::make_unique<StandinCommand>(); }

}  // namespace forebay::cli
