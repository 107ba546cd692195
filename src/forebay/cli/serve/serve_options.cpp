#include "forebay/cli/serve/serve_options.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/cli/option_values.hpp"
#include "forebay/cli/secrets.hpp"
#include "forebay/postgres/driver/conninfo.hpp"

namespace forebay::cli {
namespace {

using Problems = std::vector<std::string>;

constexpr int kMostConnections = 100'000;
constexpr int kMostSeconds = 365 * 24 * 3600;

class Giving {
 public:
  Giving(ServeOptions& options, Problems& problems) : options_(options), problems_(problems) {}

  void give(const char* option, const char* key, const std::optional<std::string>& word) {
    if (!word) return;
    if (may_hold_secret(*word)) {
      problems_.push_back(fmt::format("{} is {}", option, shown(*word)));
    } else {
      options_.given.emplace_back(option, key, *word);
    }
  }
  void give_database(const std::optional<std::string>& url) {
    if (!url) return;
    const Result<postgres::ConnectionString> target = postgres::ConnectionString::parse(*url);
    if (target && !url->empty()) {
      options_.given.emplace_back("--database", "database.url", *url);
      return;
    }
    problems_.push_back(
        fmt::format("--database (not shown): {}; right would be postgresql://user@host:5432/name",
                    target ? "it is empty" : target.error().text()));
  }

 private:
  ServeOptions& options_;
  Problems& problems_;
};

std::optional<std::string> all_of(const std::vector<std::string>& places) {
  if (places.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(places, ", "));
}

}  // namespace

ServeOptions read(const ServeArguments& arguments, Problems& problems) {
  ServeOptions options;
  Giving giving(options, problems);
  options.config = arguments.config.value_or("");
  options.has_own_server = arguments.is_trial && !arguments.database;
  giving.give_database(arguments.database);
  giving.give("--listen", "proxy.listen", all_of(arguments.listen));
  if (arguments.connections) {
    const std::size_t before = problems.size();
    options.connections =
        number_between("--connections", *arguments.connections, 1, kMostConnections, problems);
    if (problems.size() == before) giving.give("--connections", "pool.max", arguments.connections);
  }
  giving.give("--pooling", "proxy.pooling", arguments.pooling);
  giving.give("--on-session-state", "proxy.on_session_state", arguments.on_session_state);
  giving.give("--query-wait", "proxy.query_wait", arguments.query_wait);
  giving.give("--query-limit", "proxy.query_limit", arguments.query_limit);
  giving.give("--idle-limit", "proxy.idle_limit", arguments.idle_limit);
  if (arguments.metrics) options.metrics = listen_place("--metrics", *arguments.metrics, problems);
  options.run_time = std::chrono::seconds(
      number_between("--seconds", arguments.seconds, 0, kMostSeconds, problems));
  options.has_load = arguments.is_trial && !arguments.has_no_load;
  if (arguments.has_no_load && !arguments.is_trial)
    problems.emplace_back("--no-load: there is load only with --try");
  return options;
}

}  // namespace forebay::cli
