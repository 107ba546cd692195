#include "forebay/cli/demo/demo_options.hpp"

#include <array>

#include <fmt/format.h>

#include "forebay/base/number_text.hpp"
#include "forebay/cli/option_values.hpp"
#include "forebay/cli/secrets.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/postgres/driver/conninfo.hpp"

namespace forebay::cli {
namespace {

using Problems = std::vector<std::string>;

// Stand in for values that are wrong in themselves, so that others are not blamed for their sake.
constexpr int kAnySize = 1'000'000;
constexpr Duration kAnyTime = std::chrono::hours(24 * 365);

// A throw-away server has a process for each connection; a laptop bears this many.
constexpr int kMostThrowAway = 1'000;
constexpr int kMostThreads = 1'000;
constexpr int kMostSeconds = 365 * 24 * 3600;

double rate(std::string_view text, Problems& problems) {
  const std::optional<double> number = parse_number<double>(text);
  if (number) return *number;
  problems.push_back(fmt::format(
      "--rate is {}: it must be a number of connects per second, as in 100; 0 means no limit",
      shown(text)));
  return 0;
}

// Where it is, without who and how: "db.example:5432/orders".
std::string place_of(const postgres::ConnectionString& target) {
  std::string place(target.host().empty() ? "libpq's default host" : target.host());
  if (!target.port().empty()) place += fmt::format(":{}", target.port());
  if (!target.database().empty()) place += fmt::format("/{}", target.database());
  return place;
}

void read_database(const std::string& database, DemoOptions& options, Problems& problems) {
  static constexpr std::string_view kRight = "right would be postgresql://user@host:5432/name";
  if (database.empty()) {
    problems.push_back(fmt::format("--database is empty: {}", kRight));
    return;
  }
  const Result<postgres::ConnectionString> target = postgres::ConnectionString::parse(database);
  if (!target) {
    problems.push_back(
        fmt::format("--database (not shown): {}; {}", target.error().text(), kRight));
    return;
  }
  options.database = database;
  options.place = place_of(*target);
}

int connections(const DemoArguments& arguments, Problems& problems) {
  const int number = whole_number("--connections", arguments.connections, kAnySize, problems);
  const bool is_number = parse_number<int>(arguments.connections).has_value();
  if (!is_number || arguments.database || number <= kMostThrowAway) return number;
  problems.push_back(
      fmt::format("--connections is {}: without --database it must be between 1 and {}, since each "
                  "is a process",
                  number, kMostThrowAway));
  return kAnySize;
}

void read_pool(const DemoArguments& arguments, PoolOptions& pool, Problems& problems) {
  pool.name = "demo";
  pool.supply = Supply::reservoir;
  pool.size.max = connections(arguments, problems);
  if (arguments.ready)
    pool.size.target_ready = whole_number("--ready", *arguments.ready, 1, problems);
  // The demo itself waits for the fill, with its view on the screen and an ear for Ctrl-C.
  pool.size.low_watermark = 0;
  pool.lifetime = time_value("--lifetime", arguments.lifetime, kAnyTime, problems);
  pool.lifetime_jitter = Duration::zero();
  pool.guard_window = time_value("--guard", arguments.guard, Duration::zero(), problems);
  pool.connect_rate = rate(arguments.rate, problems);
  pool.connect_burst = whole_number("--burst", arguments.burst, 1, problems);
  pool.initial_fill_limit =
      time_value("--fill-limit", arguments.fill_limit, Duration::zero(), problems);
}

struct Flag {
  std::string_view option;  // of the pool
  std::string_view name;
};
constexpr std::array<Flag, 7> kFlags{{{"size.max", "--connections"},
                                      {"size.target_ready", "--ready"},
                                      {"lifetime", "--lifetime"},
                                      {"guard_window", "--guard"},
                                      {"connect_rate", "--rate"},
                                      {"connect_burst", "--burst"},
                                      {"initial_fill_limit", "--fill-limit"}}};

std::string in_words_of_command_line(const OptionProblem& problem) {
  for (const Flag& flag : kFlags) {
    if (flag.option == problem.option) return sentence(flag.name, problem);
  }
  return sentence(problem);
}

}  // namespace

DemoOptions read(const DemoArguments& arguments, Problems& problems) {
  DemoOptions options;
  options.is_json = arguments.is_json;
  options.run_time = std::chrono::seconds(
      number_between("--seconds", arguments.seconds, 0, kMostSeconds, problems));
  options.threads = number_between("--threads", arguments.threads, 1, kMostThreads, problems);
  options.hold = time_value("--hold", arguments.hold, Duration::zero(), problems);
  if (options.hold < Duration::zero() || options.hold > kAnyTime) {
    problems.push_back(fmt::format("--hold is {}: it must be zero or more and at most 365 days",
                                   duration_text(options.hold)));
  }
  if (arguments.metrics) options.metrics = listen_place("--metrics", *arguments.metrics, problems);
  read_pool(arguments, options.pool, problems);
  for (const OptionProblem& problem : forebay::problems(options.pool))
    problems.push_back(in_words_of_command_line(problem));
  if (arguments.database) read_database(*arguments.database, options, problems);
  return options;
}

}  // namespace forebay::cli
