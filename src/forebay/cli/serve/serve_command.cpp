#include <CLI/CLI.hpp>

#include "forebay/cli/command.hpp"
#include "forebay/cli/log_environment.hpp"
#include "forebay/cli/serve/serve.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::cli {
namespace {

constexpr const char* kServeExamples = R"(
Clients connect to it as to PostgreSQL, and get ready connections: never more of them at
the server than --connections, opened at the pool's rate, with tokens where they are
needed, shared over a cluster if the configuration says so. A URL alone is enough: every
user who asks for its database is served there. Several databases are routes of a file.

Examples:
  forebay serve --database postgresql://app@db.example/orders
  forebay serve --config service.yaml --listen /run/forebay/.s.PGSQL.6432
  forebay serve --database postgresql://app@db/orders --pooling session
  forebay serve --try                      on a PostgreSQL of its own, with a little load
  psql -h 127.0.0.1 -p 6432 -U app orders  then, from another terminal

The file given by --config is that of the library: database, pool, leases, rate, and its
proxy: has the routes. Without it the one that FOREBAY_CONFIG names is read, and the
environment in any case. What an option says counts more than both, but not more than
what a route says of itself. Times are 250ms, 5s, 2m or 1h. docs/proxy.md says what each
pooling can do and what it cannot.
Ctrl-C or SIGTERM: nobody is let in any more, transactions may end, then it ends.
Exit code: 0, 1 if there is no database or no place to listen, 2 for a command line or
a configuration that makes no sense.)";

class ServeCommand : public Command {
 public:
  CommandText text() const override {
    return {"serve", "Serve PostgreSQL's clients from a pool, in any language", kServeExamples, "",
            "only options can follow \"serve\""};
  }
  void add_options(CLI::App& app) override;
  int run(Problems& problems) override;

 private:
  ServeArguments arguments_;
};

// What is wrong with the command line, the file and the environment is told at once.
int ServeCommand::run(Problems& problems) {
  const ServeOptions options = read(arguments_, problems);
  ConfigurationReading reading;
  if (options.has_own_server) {
    apply_log_environment(problems);
    reading = read_configuration(options.given);
  } else {
    Runtime runtime;
    reading = run_blocking(runtime.scheduler(),
                           read_configuration(runtime.machine(), options.config, options.given));
  }
  problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
  return problems.empty() ? run_serve(options, std::move(reading)) : kBadCommandLine;
}

void ServeCommand::add_options(CLI::App& app) {
  const auto text = [&app](const char* name, auto& value, const char* type, const char* help) {
    return app.add_option(name, value, help)->type_name(type)->take_last();
  };
  app.option_defaults()->group("Where");
  text("--database", arguments_.database, "URL", "the server behind it");
  text("--config", arguments_.config, "FILE",
       "the configuration: servers, pools, and the routes if there are several");
  app.add_option("--listen", arguments_.listen,
                 "where clients call: 127.0.0.1:6432 unless given; several times for several "
                 "places; a path is a Unix socket")
      ->type_name("[ADDRESS:]PORT")
      ->allow_extra_args(false);
  app.option_defaults()->group("Pooling");
  text("--connections", arguments_.connections, "N",
       "connections of a route to its server at most");
  text("--pooling", arguments_.pooling, "MODE",
       "a client has a server for a transaction, or for its session")
      ->default_str("transaction");
  text("--on-session-state", arguments_.on_session_state, "pin|refuse|allow",
       "what to do about state that cannot follow a client to another server")
      ->default_str("pin");
  app.option_defaults()->group("Limits");
  text("--query-wait", arguments_.query_wait, "TIME", "a client waits so long for a server")
      ->default_str("10s");
  text("--query-limit", arguments_.query_limit, "TIME", "a query that takes longer is cancelled")
      ->default_str("off");
  text("--idle-limit", arguments_.idle_limit, "TIME",
       "a client that is silent so long in a transaction is sent away")
      ->default_str("off");
  app.option_defaults()->group("Output");
  app.add_option("--metrics", arguments_.metrics,
                 "serve /metrics, /healthz and /readyz; without a place, at 127.0.0.1:9464")
      ->type_name("[ADDRESS:]PORT")
      ->expected(0, 1)
      ->take_last();
  app.option_defaults()->group("To try it out");
  app.add_flag("--try", arguments_.is_trial,
               "a throw-away PostgreSQL, unless --database is given, and a little load");
  app.add_flag("--no-load", arguments_.has_no_load, "without that load");
  text("--seconds", arguments_.seconds, "N", "end after N seconds; 0: at Ctrl-C")->default_str("0");
}

}  // namespace

std::unique_ptr<Command> make_serve_command() { return std::make_unique<ServeCommand>(); }

}  // namespace forebay::cli
