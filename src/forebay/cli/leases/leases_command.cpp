#include <CLI/CLI.hpp>

#include "forebay/cli/command.hpp"
#include "forebay/cli/leases/leases.hpp"

namespace forebay::cli {
namespace {

constexpr const char* kLeasesExamples = R"(
ACTION is one of
  setup    make the table: key "pk", billed on demand, TTL on ttl_epoch
  show     the counter, who holds how many connections, and whether they add up
  watch    the same again and again, until Ctrl-C
  reap     free what dead processes left behind: reaps processes that give no sign of life for
           as long as its lease lives. Running processes do the same by themselves

Examples:
  forebay leases setup --table forebay
  forebay leases show --table forebay --endpoint abc.dsql.us-east-1.on.aws
  forebay leases watch --table forebay --endpoint abc.dsql.us-east-1.on.aws --limit 10000
  forebay leases show --table forebay --endpoint abc.dsql.us-east-1.on.aws --json | jq .counter

Credentials and region are found as the AWS command finds them: environment, profiles
(AWS_PROFILE), web identity, container, instance. AWS_ENDPOINT_URL_DYNAMODB leads to a
DynamoDB of your own. --recount sets the counter to what the leases hold; with it, older
clients that keep connections longer than their leases are no longer counted.
Exit code: 0, 1 if DynamoDB cannot be asked or the numbers do not add up, 2 for a command
line that makes no sense, 130 if interrupted.)";

class LeasesCommand : public Command {
 public:
  CommandText text() const override {
    return {"leases", "Make, show and mend the cluster's leases in DynamoDB", kLeasesExamples,
            "ACTION", "one action can follow \"leases\", and options"};
  }
  void add_options(CLI::App& app) override;
  bool take(const std::string& word) override {
    if (arguments_.action) return false;
    arguments_.action = word;
    return true;
  }
  int run(Problems& problems) override {
    const LeasesOptions options = read(arguments_, problems);
    return problems.empty() ? run_leases(options) : kBadCommandLine;
  }

 private:
  LeasesArguments arguments_;
};

void LeasesCommand::add_options(CLI::App& app) {
  const auto text = [&app](const char* name, auto& value, const char* type, const char* help) {
    app.add_option(name, value, help)->type_name(type)->take_last();
  };
  const auto add = [&](const char* name, std::string& value, const char* type, const char* help) {
    text(name, value, type, help);
    app.get_option(name)->default_str(value);
  };
  app.option_defaults()->group("Where");
  text("--table", arguments_.table, "NAME", "the DynamoDB table");
  text("--endpoint", arguments_.endpoint, "HOST", "the cluster whose connections are leased");
  text("--region", arguments_.region, "NAME", "the table's region; default: the endpoint's");
  add("--timeout", arguments_.timeout, "TIME", "how long a request may take");
  app.option_defaults()->group("What");
  text("--limit", arguments_.limit, "N", "the cluster's limit, to compare with");
  add("--every", arguments_.every, "TIME", "watch: how often");
  text("--count", arguments_.count, "N", "watch: end after so many");
  add("--ttl", arguments_.ttl, "TIME", "reap: how long a process may be silent at least");
  app.add_flag("--recount", arguments_.is_recount, "reap: also set the counter right");
  app.option_defaults()->group("Output");
  app.add_flag("--json", arguments_.is_json, "JSON, one object a line");
}

}  // namespace

std::unique_ptr<Command> make_leases_command() { return std::make_unique<LeasesCommand>(); }

}  // namespace forebay::cli
