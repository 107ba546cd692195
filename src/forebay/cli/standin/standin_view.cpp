#include "forebay/cli/standin/standin_view.hpp"

#include <fmt/format.h>

#include "forebay/base/json_writer.hpp"

namespace forebay::cli {
namespace {

std::string shell_word(const std::string& text) {
  const bool is_plain = text.find_first_not_of(
                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "-_./:@%+=,") == std::string::npos;
  if (is_plain && !text.empty()) return text;
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

}  // namespace

std::string shell_text(const StandinSigns& signs) {
  std::string text = fmt::format("# forebay standin: at {}:{}, before {}\n", signs.address,
                                 signs.port, signs.place);
  for (const auto& [name, value] : signs.environment)
    text += fmt::format("export {}={}\n", name, shell_word(value));
  text += "unset AWS_SESSION_TOKEN AWS_PROFILE\n";
  text += "# PGPASSWORD=$(forebay token --endpoint localhost) psql\n";
  text += fmt::format("# Also known as {0}: PGHOST={0} PGHOSTADDR=127.0.0.1 for libpq\n",
                      signs.cluster);
  return text + "# Ctrl-C ends it\n";
}

std::string json_text(const StandinSigns& signs) {
  JsonObject environment;
  for (const auto& [name, value] : signs.environment) environment.add(name, value);
  JsonObject all;
  all.add("host", std::string("localhost"))
      .add("address", signs.address)
      .add("port", signs.port)
      .add("cluster", signs.cluster)
      .add("certificate", signs.certificate)
      .add("environment", environment);
  if (!signs.dynamodb.empty()) all.add("dynamodb", signs.dynamodb);
  return all.text() + "\n";
}

std::string farewell_text(const standin::StandinCounters& counters) {
  return fmt::format(
      "forebay standin: {} sessions, {} over the rate, {} over the cap, {} denied, {} too old\n",
      counters.accepted, counters.over_rate, counters.over_cap, counters.denied, counters.too_old);
}

}  // namespace forebay::cli
