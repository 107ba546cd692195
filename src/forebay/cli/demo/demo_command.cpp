#include <CLI/CLI.hpp>

#include "forebay/cli/command.hpp"
#include "forebay/cli/demo/demo.hpp"
#include "forebay/cli/log_environment.hpp"

namespace forebay::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  forebay demo                             until Ctrl-C, on a PostgreSQL of its own
  forebay demo --lifetime 2s --rate 20     short lives, slow supply
  forebay demo --connections 5 --threads 20 --hold 50ms
                                           more callers than connections
  forebay demo --metrics                   curl http://127.0.0.1:9464/metrics
  forebay demo --seconds 10 --json         for scripts: one JSON object on stdout
  PGPASSWORD=... forebay demo --database postgresql://app@db.example/orders

Times are 250ms, 5s, 2m or 1h. A password is best given by PGPASSWORD or ~/.pgpass.
On a terminal the view is live, and Ctrl-C or q ends it; in a pipe only the summary
is printed. Exit code: 0, 1 if there is no database to work with, 2 for a command
line that makes no sense. NO_COLOR switches colours off; FOREBAY_LOG_LEVEL=info tells
more on stderr, FOREBAY_LOG_FORMAT=json for programs.)";

class DemoCommand : public Command {
 public:
  CommandText text() const override {
    return {"demo", "Watch a pool at work on a throw-away PostgreSQL", kExamples, "",
            "only options can follow \"demo\""};
  }
  void add_options(CLI::App& app) override;
  int run(Problems& problems) override {
    const DemoOptions options = read(arguments_, problems);
    apply_log_environment(problems);
    return problems.empty() ? run_demo(options) : kBadCommandLine;
  }

 private:
  DemoArguments arguments_;
};

void DemoCommand::add_options(CLI::App& app) {
  const auto text = [&app](const char* name, auto& value, const char* type, const char* help) {
    app.add_option(name, value, help)->type_name(type)->take_last();
  };
  const auto add = [&](const char* name, std::string& value, const char* type, const char* help) {
    text(name, value, type, help);
    app.get_option(name)->default_str(value);
  };
  app.option_defaults()->group("How long, and where");
  add("--seconds", arguments_.seconds, "N", "end after N seconds; 0: at Ctrl-C");
  text("--database", arguments_.database, "URL",
       "a server of your own instead of a throw-away one");
  add("--fill-limit", arguments_.fill_limit, "TIME", "wait so long for the pool to fill");
  app.option_defaults()->group("Pool");
  add("--connections", arguments_.connections, "N", "connections at most");
  text("--ready", arguments_.ready, "N", "connections kept ready; default: as --connections");
  add("--lifetime", arguments_.lifetime, "TIME", "how long a connection lives");
  add("--guard", arguments_.guard, "TIME", "not handed out in the last part of its life");
  add("--rate", arguments_.rate, "N", "connects per second at most; 0: no limit");
  add("--burst", arguments_.burst, "N", "connects at once after a rest");
  app.option_defaults()->group("Load");
  add("--threads", arguments_.threads, "N", "callers");
  add("--hold", arguments_.hold, "TIME", "how long a caller keeps a session");
  app.option_defaults()->group("Output");
  app.add_option("--metrics", arguments_.metrics,
                 "serve /metrics, /healthz and /readyz; without a place, at 127.0.0.1:9464")
      ->type_name("[ADDRESS:]PORT")
      ->expected(0, 1)
      ->take_last();
  app.add_flag("--json", arguments_.is_json, "the closing summary as one JSON object");
}

}  // namespace

std::unique_ptr<Command> make_demo_command() { return std::make_unique<DemoCommand>(); }

}  // namespace forebay::cli
