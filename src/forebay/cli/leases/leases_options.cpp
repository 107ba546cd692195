#include "forebay/cli/leases/leases_options.hpp"

#include <fmt/format.h>

#include "forebay/base/suggestion.hpp"
#include "forebay/cli/option_values.hpp"
#include "forebay/cli/secrets.hpp"

namespace forebay::cli {
namespace {

using Problems = std::vector<std::string>;

constexpr int kMostConnections = 100'000'000;
constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool consists_of(std::string_view text, std::string_view others) {
  for (const char c : text) {
    if (!kLetters.contains(c) && !others.contains(c)) return false;
  }
  return true;
}

std::optional<LeasesAction> action_of(std::string_view word) {
  if (word == "setup") return LeasesAction::setup;
  if (word == "show") return LeasesAction::show;
  if (word == "watch") return LeasesAction::watch;
  if (word == "reap") return LeasesAction::reap;
  return std::nullopt;
}

void read_action(const LeasesArguments& arguments, LeasesOptions& options, Problems& problems) {
  if (!arguments.action) {
    // Otherwise it may be among the words that nobody understood.
    if (problems.empty())
      problems.emplace_back("what to do is missing: one of setup, show, watch, reap");
    return;
  }
  const std::optional<LeasesAction> action = action_of(*arguments.action);
  if (action) {
    options.action = *action;
    return;
  }
  const std::string meant = nearest(*arguments.action, {"setup", "show", "watch", "reap"});
  problems.push_back(fmt::format(
      "{} is nothing to do with leases: it must be setup, show, watch "
      "or reap{}",
      shown(*arguments.action), meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
}

void read_names(const LeasesArguments& arguments, LeasesOptions& options, Problems& problems) {
  options.table = arguments.table.value_or("");
  options.endpoint = arguments.endpoint.value_or("");
  options.region = arguments.region.value_or("");
  if (!arguments.table) {
    problems.emplace_back("--table is missing: the DynamoDB table that holds the leases");
  } else if (const auto problem = problem_with_table(options.table)) {
    problems.push_back(fmt::format("--table is {}: {}", shown(options.table), *problem));
  }
  if (arguments.endpoint) {
    if (const auto problem = problem_with_host(options.endpoint))
      problems.push_back(fmt::format("--endpoint is {}: {}", shown(options.endpoint), *problem));
  } else if (options.action != LeasesAction::setup) {
    problems.emplace_back(
        "--endpoint is missing: the host of the cluster whose connections are leased");
  }
  if (arguments.region && !consists_of(options.region, "-"))
    problems.push_back(
        fmt::format("--region is {}: right would be us-east-1, say", shown(options.region)));
}

}  // namespace

std::optional<std::string> problem_with_table(std::string_view name) {
  if (name.size() < 3 || name.size() > 255)
    return fmt::format("it has {} characters, and DynamoDB wants 3 to 255", name.size());
  if (!consists_of(name, "_-.")) return "DynamoDB allows letters, digits, _, - and . only";
  return std::nullopt;
}

std::optional<std::string> problem_with_host(std::string_view host) {
  if (!host.empty() && host.size() <= 253 && consists_of(host, "-._:")) return std::nullopt;
  return "it must be a host's name, as in abcdefghijklmnopqrstuvwxyz.dsql.us-east-1.on.aws";
}

LeasesOptions read(const LeasesArguments& arguments, Problems& problems) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  using std::chrono::seconds;

  LeasesOptions options;
  options.is_json = arguments.is_json;
  options.is_recount = arguments.is_recount;
  read_action(arguments, options, problems);
  read_names(arguments, options, problems);
  if (arguments.limit)
    options.limit = number_between("--limit", *arguments.limit, 1, kMostConnections, problems);
  options.timeout =
      time_between("--timeout", arguments.timeout, milliseconds(100), hours(1), problems);
  options.every = time_between("--every", arguments.every, milliseconds(100), hours(24), problems);
  options.ttl = time_between("--ttl", arguments.ttl, seconds(1), hours(24), problems);
  if (arguments.count)
    options.count = number_between("--count", *arguments.count, 1, kMostConnections, problems);
  if (options.is_recount && arguments.action && options.action != LeasesAction::reap)
    problems.emplace_back("--recount belongs to \"reap\"");
  return options;
}

}  // namespace forebay::cli
