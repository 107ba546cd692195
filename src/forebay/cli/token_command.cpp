#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "forebay/aws/signing/dsql_token.hpp"
#include "forebay/cli/aws_access.hpp"
#include "forebay/cli/command.hpp"
#include "forebay/cli/leases/leases_options.hpp"
#include "forebay/cli/option_values.hpp"
#include "forebay/cli/secrets.hpp"

namespace forebay::cli {
namespace {

constexpr const char* kTokenExamples = R"(
Examples:
  forebay token --endpoint abc.dsql.us-east-1.on.aws
  PGPASSWORD=$(forebay token --endpoint $HOST) \
    psql "host=$HOST user=admin dbname=postgres sslmode=require"
  forebay token --endpoint $HOST --user app --expires 1h

Signed on this machine, without a request to the database. Credentials and region are
found as the AWS command finds them. A token outlives neither a week nor the credentials
that signed it. Exit code: 0, 1 if there are no credentials, 2 for a command line that
makes no sense.)";

constexpr Duration kTimeout = std::chrono::seconds(10);

struct TokenArguments {
  std::optional<std::string> endpoint;
  std::string user = "admin";
  std::string region;
  std::string expires = "15m";
};

class TokenCommand : public Command {
 public:
  CommandText text() const override {
    return {"token", "Print a token for Aurora DSQL, to be used as a password", kTokenExamples, "",
            "only options can follow \"token\""};
  }
  void add_options(CLI::App& app) override;
  int run(Problems& problems) override;

 private:
  Duration check(Problems& problems) const;

  TokenArguments arguments_;
};

void TokenCommand::add_options(CLI::App& app) {
  const auto add = [&app](const char* name, auto& value, const char* type, const char* help) {
    return app.add_option(name, value, help)->type_name(type)->take_last();
  };
  app.option_defaults()->group("For whom");
  add("--endpoint", arguments_.endpoint, "HOST", "the cluster");
  add("--user", arguments_.user, "NAME", "the database role")->default_str(arguments_.user);
  add("--region", arguments_.region, "NAME", "the cluster's region; default: the endpoint's");
  add("--expires", arguments_.expires, "TIME", "how long it can be used to connect")
      ->default_str(arguments_.expires);
}

Duration TokenCommand::check(Problems& problems) const {
  if (!arguments_.endpoint) {
    problems.emplace_back("--endpoint is missing: the host of the cluster");
  } else if (const auto problem = problem_with_host(*arguments_.endpoint)) {
    problems.push_back(fmt::format("--endpoint is {}: {}", shown(*arguments_.endpoint), *problem));
  }
  if (arguments_.user.empty())
    problems.emplace_back("--user is empty: it must be a database role, as in --user admin");
  return time_between("--expires", arguments_.expires, std::chrono::seconds(1),
                      std::chrono::hours(24 * 7), problems);
}

int TokenCommand::run(Problems& problems) {
  const Duration lifetime = check(problems);
  if (!problems.empty()) return kBadCommandLine;
  const auto fail = [](const Error& error) {
    std::fputs(fmt::format("forebay token: {}\n", error.text()).c_str(), stderr);
    return kFailed;
  };
  const std::string& host = *arguments_.endpoint;
  const Result<std::unique_ptr<AwsAccess>> access =
      AwsAccess::open(arguments_.region, host, kTimeout);
  if (!access) return fail(access.error());
  AwsAccess& aws = **access;
  const Result<aws::Credentials> credentials = aws.wait_for(aws.credentials().get(aws.deadline()));
  if (!credentials) return fail(credentials.error());
  const aws::DsqlTokenRequest request{host, aws.region(), arguments_.user, lifetime};
  const std::string token = aws::sign_dsql_token(request, *credentials, aws.env().wall_clock.now());
  std::fputs((token + "\n").c_str(), stdout);
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_token_command() { return std::make_unique<TokenCommand>(); }

}  // namespace forebay::cli
