#include "forebay/standin/access/start_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace forebay::standin {
namespace {

using wire::ErrorReport;
using wire::Severity;

ErrorReport fatal(const Refusal& refusal) {
  ErrorReport report(Severity::fatal, refusal.sqlstate, refusal.message, refusal.hint);
  report.detail = refusal.detail;
  return report;
}

// The words of "options": parted by blanks, of which a backslash makes a letter.
std::vector<std::string> words_of(std::string_view options) {
  std::vector<std::string> words;
  bool is_inside = false;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const bool is_blank = options[i] == ' ' || options[i] == '\t' || options[i] == '\n';
    if (is_blank) {
      is_inside = false;
      continue;
    }
    if (!is_inside) words.emplace_back();
    is_inside = true;
    if (options[i] == '\\' && i + 1 < options.size()) ++i;
    words.back() += options[i];
  }
  return words;
}

// "-c name=value", "-cname=value" and "--name=value".
std::optional<ErrorReport> read_options(std::string_view options, const StatementRules& rules,
                                        ClientStart& start) {
  const std::vector<std::string> words = words_of(options);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    const bool is_long = word.starts_with("--");
    if (!is_long && !word.starts_with("-c"))
      return ErrorReport(Severity::fatal, "42601",
                         fmt::format("invalid command-line argument for server process: {}", word));
    word.remove_prefix(2);
    if (!is_long && word.empty() && i + 1 < words.size()) word = words[++i];
    const std::size_t middle = word.find('=');
    std::string name(word.substr(0, middle));
    if (is_long) std::ranges::replace(name, '-', '_');
    if (middle == std::string_view::npos || name.empty())
      return ErrorReport(Severity::fatal, "42601", fmt::format("-c {} requires a value", word));
    if (const auto refusal = rules.refuse_parameter(name)) return fatal(*refusal);
    start.settings.emplace_back(std::move(name), word.substr(middle + 1));
  }
  return std::nullopt;
}

}  // namespace

std::optional<ErrorReport> read_start(const wire::StartupView& packet, const StatementRules& rules,
                                      ClientStart& start) {
  start.user = packet.user();
  if (packet.is_replication())
    return ErrorReport(Severity::fatal, "0A000", "replication is not supported");
  if (packet.database() != "postgres") {
    return ErrorReport(Severity::fatal, "3D000",
                       fmt::format("database \"{}\" does not exist", packet.database()));
  }
  for (const auto& [name, value] : packet.parameters) {
    // Which cluster is meant is known by SNI; what begins like the last is for the protocol.
    if (name == "user" || name == "database" || name == "replication" ||
        name == "amzn-cluster-id" || name.starts_with("_pq_."))
      continue;
    if (name == "options") {
      if (auto refusal = read_options(value, rules, start)) return refusal;
      continue;
    }
    if (const auto refusal = rules.refuse_parameter(name)) return fatal(*refusal);
    start.settings.emplace_back(name, value);
  }
  return std::nullopt;
}

ErrorReport access_denied(std::string hint) {
  return {Severity::fatal, "28000", "unable to accept connection, access denied", std::move(hint)};
}

}  // namespace forebay::standin
