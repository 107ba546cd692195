#include "forebay/cli/standin/standin_arguments.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/base/dsql_host.hpp"
#include "forebay/cli/leases/leases_options.hpp"
#include "forebay/cli/option_values.hpp"
#include "forebay/cli/secrets.hpp"
#include "forebay/postgres/driver/conninfo.hpp"
#include "forebay/standin/chaos.hpp"
#include "forebay/standin/statements/rule_file.hpp"

namespace forebay::cli {
namespace {

using Problems = std::vector<std::string>;

constexpr std::uint16_t kUsualPort = 5433;     // 5432 is often taken by a PostgreSQL
constexpr std::uint16_t kDynamoDbPort = 8000;  // as DynamoDB Local has it
constexpr const char* kClusterId = "forebaystandin000000000000";
constexpr int kMost = 1'000'000;
constexpr int kMostSeconds = 365 * 24 * 3600;
constexpr Duration kShortest = std::chrono::milliseconds(1);
constexpr Duration kLongest = std::chrono::hours(24 * 365);

void read_postgres(const StandinArguments& arguments, StandinSettings& settings,
                   Problems& problems) {
  settings.data = arguments.data.value_or("");
  if (arguments.data && settings.data.empty())
    problems.emplace_back(
        "--data is empty: it must be a folder, new or left by an earlier stand-in");
  if (!arguments.postgres) return;
  settings.postgres = *arguments.postgres;
  if (arguments.data)
    problems.emplace_back("--data and --postgres exclude each other: give one server, or none");
  const Result<postgres::ConnectionString> target =
      postgres::ConnectionString::parse(settings.postgres);
  if (target && !settings.postgres.empty()) return;
  problems.push_back(
      fmt::format("--postgres (not shown): {}; right would be postgresql://user@host:5432/name",
                  target ? "it is empty" : target.error().text()));
}

void read_names(const StandinArguments& arguments, StandinSettings& settings, Problems& problems) {
  if (!is_region(arguments.region))
    problems.push_back(
        fmt::format("--region is {}: right would be us-east-1, say", shown(arguments.region)));
  settings.options.realm.region = arguments.region;
  settings.cluster = fmt::format("{}.dsql.{}.on.aws", kClusterId, arguments.region);
  settings.options.names = {"localhost", settings.cluster};
  for (const std::string& name : arguments.names) {
    if (problem_with_host(name) || name.contains(':'))
      problems.push_back(fmt::format("--name is {}: it must be a host's name", shown(name)));
    settings.options.names.push_back(name);
  }
}

// "AKIAEXAMPLE:secret:arn:aws:iam::123456789012:role/app". The secret may be a real one by mistake.
void read_keys(const StandinArguments& arguments, StandinSettings& settings, Problems& problems) {
  aws::Credentials ours(kStandinKeyId, kStandinSecret);
  settings.options.realm.keys = {std::move(ours)};
  for (const std::string& word : arguments.keys) {
    const std::size_t secret = word.find(':');
    const std::size_t arn = word.find(':', std::min(secret, word.size() - 1) + 1);
    const std::string id = word.substr(0, secret);
    if (arn == std::string::npos || id.empty() || id.contains('/') || arn == secret + 1 ||
        id == kStandinKeyId || settings.options.realm.arns.contains(id) ||
        !word.substr(arn + 1).starts_with("arn:")) {
      problems.emplace_back(
          "--key (not shown) is not ID:SECRET:ARN, with an id of its own; right would be "
          "AKIAEXAMPLE:secret:arn:aws:iam::123456789012:role/app");
      continue;
    }
    settings.options.realm.keys.emplace_back(id, word.substr(secret + 1, arn - secret - 1));
    settings.options.realm.arns[id] = word.substr(arn + 1);
  }
}

// "slow-connects=250ms" is the command "slow_connects 250ms".
void read_chaos(const StandinArguments& arguments, StandinSettings& settings, Problems& problems) {
  for (const std::string& word : arguments.chaos) {
    const std::size_t middle = word.find('=');
    std::string command = word.substr(0, middle);
    std::ranges::replace(command, '-', '_');
    if (middle != std::string::npos) command += " " + word.substr(middle + 1);
    if (command == "refuse_tokens") command += " on";
    SeededRandom random(0);
    standin::Chaos trial(random);
    if (const auto problem = trial.apply(command, Instant()))
      problems.push_back(fmt::format("--chaos is {}: {}", shown(word), *problem));
    settings.options.chaos.push_back(command);
  }
}

void read_limits(const StandinArguments& arguments, StandinSettings& settings, Problems& problems) {
  const auto number = [&problems](const char* option, const std::string& text, int least) {
    return number_between(option, text, least, kMost, problems);
  };
  standin::StandinOptions& options = settings.options;
  options.connects_per_second = number("--rate", arguments.rate, 1);
  options.connect_burst = number("--burst", arguments.burst, 1);
  options.max_sessions = number("--connections", arguments.connections, 1);
  options.session_age =
      time_between("--session-age", arguments.session_age, kShortest, kLongest, problems);
  options.failed_attempts_pay = !arguments.is_failure_free;
  options.may_transaction_finish = !arguments.cuts_transactions;
  options.has_schema_conflicts = !arguments.has_no_schema_conflicts;
}

void read_rules(const StandinArguments& arguments, StandinSettings& settings, Problems& problems) {
  settings.lists_rules = arguments.lists_rules;
  if (!arguments.rules) return;
  standin::RuleFileReading reading = standin::read_rule_file(*arguments.rules);
  for (const std::string& problem : reading.problems) problems.push_back("--rules: " + problem);
  settings.options.rules = std::move(reading.book);
}

}  // namespace

StandinSettings read(const StandinArguments& arguments, std::vector<std::string> command,
                     Problems& problems) {
  StandinSettings settings;
  read_postgres(arguments, settings, problems);
  settings.listen.port = command.empty() ? kUsualPort : 0;
  if (arguments.listen) settings.listen = listen_place("--listen", *arguments.listen, problems);
  if (arguments.dynamodb) {
    settings.dynamodb.emplace();
    settings.dynamodb->port = command.empty() ? kDynamoDbPort : 0;
    if (!arguments.dynamodb->empty())
      settings.dynamodb = listen_place("--dynamodb", *arguments.dynamodb, problems);
  }
  read_names(arguments, settings, problems);
  settings.certificates = arguments.certificates.value_or("");
  read_limits(arguments, settings, problems);
  read_rules(arguments, settings, problems);
  read_chaos(arguments, settings, problems);
  read_keys(arguments, settings, problems);
  settings.run_time = std::chrono::seconds(
      number_between("--seconds", arguments.seconds, 0, kMostSeconds, problems));
  settings.command = std::move(command);
  settings.is_json = arguments.is_json;
  if (settings.is_json && !settings.command.empty())
    problems.emplace_back("--json and --for exclude each other: the command has the output");
  return settings;
}

}  // namespace forebay::cli
