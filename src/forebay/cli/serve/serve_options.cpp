#include "forebay/cli/serve/serve_options.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "forebay/cli/option_values.hpp"
#include "forebay/cli/secrets.hpp"
#include "forebay/postgres/driver/conninfo.hpp"

namespace forebay::cli {
namespace {

using Problems = std::vector<std::string>;

constexpr const char* kDefaultPlace = "127.0.0.1:6432";
constexpr int kMostConnections = 100'000;
constexpr int kMostSeconds = 365 * 24 * 3600;

template <class Value, std::size_t count>
using Words = std::array<std::pair<std::string_view, Value>, count>;

constexpr Words<proxy::Pooling, 2> kPooling{
    {{"transaction", proxy::Pooling::transaction}, {"session", proxy::Pooling::session}}};
constexpr Words<proxy::OnSessionState, 3> kOnSessionState{
    {{"pin", proxy::OnSessionState::pin},
     {"refuse", proxy::OnSessionState::refuse},
     {"allow", proxy::OnSessionState::allow}}};

template <class Value, std::size_t count>
Value choice(std::string_view option, std::string_view text, const Words<Value, count>& words,
             Problems& problems) {
  std::string known;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", word);
  }
  problems.push_back(fmt::format("{} is {}: it must be one of {}", option, shown(text), known));
  return words.front().second;
}

Duration limit(std::string_view option, const std::string& text, Problems& problems) {
  if (text == "off") return Duration::max();
  return time_value(option, text, Duration::max(), problems);
}

// Clients are not asked who they are, so they must be on this machine.
bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

void read_place(const std::string& text, std::vector<StreamAddress>& places, Problems& problems) {
  if (text.starts_with('/')) {
    places.push_back(StreamAddress::unix_socket(text));
    return;
  }
  const ListenPlace place = listen_place("--listen", text, problems);
  if (!is_loopback(place.address)) {
    problems.push_back(fmt::format(
        "--listen is {}: clients are not asked who they are yet, so it must be an address of this "
        "machine alone, as in 127.0.0.1:6432 or [::1]:6432, or the path of a Unix socket",
        shown(text)));
    return;
  }
  places.push_back(StreamAddress::tcp(place.address, place.port));
}

void read_database(const ServeArguments& arguments, ServeOptions& options, Problems& problems) {
  if (!arguments.database) return;
  options.database = *arguments.database;
  const Result<postgres::ConnectionString> target =
      postgres::ConnectionString::parse(*arguments.database);
  if (target && !arguments.database->empty()) return;
  problems.push_back(
      fmt::format("--database (not shown): {}; right would be postgresql://user@host:5432/name",
                  target ? "it is empty" : target.error().text()));
}

}  // namespace

ServeOptions read(const ServeArguments& arguments, Problems& problems) {
  ServeOptions options;
  read_database(arguments, options, problems);
  options.config = arguments.config.value_or("");
  std::vector<std::string> places = arguments.listen;
  if (places.empty()) places.emplace_back(kDefaultPlace);
  for (const std::string& place : places) read_place(place, options.listen, problems);
  if (arguments.connections) {
    options.connections =
        number_between("--connections", *arguments.connections, 1, kMostConnections, problems);
  }
  options.rules.pooling = choice("--pooling", arguments.pooling, kPooling, problems);
  options.rules.on_session_state =
      choice("--on-session-state", arguments.on_session_state, kOnSessionState, problems);
  options.limits.query_wait = limit("--query-wait", arguments.query_wait, problems);
  options.limits.query = limit("--query-limit", arguments.query_limit, problems);
  options.limits.idle_in_transaction = limit("--idle-limit", arguments.idle_limit, problems);
  if (arguments.metrics) options.metrics = listen_place("--metrics", *arguments.metrics, problems);
  options.run_time = std::chrono::seconds(
      number_between("--seconds", arguments.seconds, 0, kMostSeconds, problems));
  options.is_trial = arguments.is_trial;
  options.has_load = arguments.is_trial && !arguments.has_no_load;
  if (arguments.has_no_load && !arguments.is_trial)
    problems.emplace_back("--no-load: there is load only with --try");
  return options;
}

}  // namespace forebay::cli
