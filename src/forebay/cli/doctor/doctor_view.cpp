#include "forebay/cli/doctor/doctor_view.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "forebay/base/json_writer.hpp"
#include "forebay/cli/text/text_block.hpp"

namespace forebay::cli {
namespace {

using doctor::DemandRow;
using doctor::DoctorReport;
using doctor::Finding;
using doctor::Severity;

constexpr int kCheckColumn = 9;
constexpr int kTextColumn = 23;
constexpr std::array<Severity, 4> kSeverities = {Severity::error, Severity::warning, Severity::note,
                                                 Severity::ok};

Colour colour_of(Severity severity) {
  constexpr std::array<Colour, 4> colours = {Colour::green, Colour::cyan, Colour::yellow,
                                             Colour::red};
  return colours[static_cast<std::size_t>(severity)];
}

std::size_t count_of(const DoctorReport& report, Severity severity) {
  std::size_t count = 0;
  for (const Finding& finding : report.findings) count += finding.severity == severity ? 1 : 0;
  return count;
}

void keep_finding(const Finding& finding, TextBlock& block) {
  StyledLine begun = block.line().add(name(finding.severity), colour_of(finding.severity));
  begun.to_column(kCheckColumn).add(finding.check, Colour::dim).to_column(kTextColumn);
  block.keep_wrapped(begun, finding.what);
  if (finding.severity == Severity::ok) return;
  const auto keep_more = [&](std::string_view label, const std::string& text) {
    if (text.empty()) return;
    block.keep_wrapped(block.line().to_column(kTextColumn).add(label, Colour::dim).add(" "), text);
  };
  keep_more("why: ", finding.why);
  keep_more("do:  ", finding.advice);
}

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} %", *share * 100) : "-";
}

void keep_table(const DoctorReport& report, TextBlock& block) {
  if (report.demand.empty()) return;
  block.blank();
  block.keep(block.line().add(
      "processes  connections  of limit  headroom  connects/s  of rate         filled",
      Colour::dim));
  for (const DemandRow& row : report.demand) {
    const std::optional<double> headroom =
        row.of_limit ? std::optional(1 - *row.of_limit) : std::nullopt;
    block.keep(block.line().add(
        fmt::format("{:>9}  {:>11}  {:>8}  {:>8}  {:>10.2f}  {:>7}  {:>13}", row.processes,
                    row.connections, share_text(row.of_limit), share_text(headroom), row.churn,
                    share_text(row.of_rate), doctor::fill_text(row.fill))));
  }
}

std::string plural(std::size_t count, std::string_view one) {
  const bool has_plural = one != "ok";
  return fmt::format("{} {}{}", count, one, has_plural && count != 1 ? "s" : "");
}

JsonObject json_of(const DemandRow& row) {
  JsonObject json;
  json.add("processes", row.processes).add("connections", row.connections);
  json.add("of_limit", row.of_limit).add("connects_per_second", row.churn);
  return json.add("of_rate", row.of_rate).add("fill_seconds", row.fill);
}

JsonObject json_of(const Finding& finding) {
  JsonObject json;
  json.add("severity", name(finding.severity)).add("check", finding.check);
  return json.add("what", finding.what).add("why", finding.why).add("advice", finding.advice);
}

}  // namespace

std::string doctor_text(const DoctorReport& report, const TextStyle& style) {
  TextBlock block(style);
  for (const Finding& finding : report.findings) keep_finding(finding, block);
  keep_table(report, block);
  block.blank();
  std::vector<std::string> counts;
  counts.reserve(kSeverities.size());
  for (const Severity severity : kSeverities)
    counts.push_back(plural(count_of(report, severity), name(severity)));
  block.keep(block.line().add(fmt::format("{}", fmt::join(counts, ", ")),
                              colour_of(worst(report.findings))));
  return block.text();
}

std::string doctor_json(const DoctorReport& report) {
  JsonObject counts;
  for (const Severity severity : kSeverities)
    counts.add(name(severity), count_of(report, severity));
  JsonList findings;
  for (const Finding& finding : report.findings) findings.add(json_of(finding));
  JsonList demand;
  for (const DemandRow& row : report.demand) demand.add(json_of(row));
  JsonObject json;
  json.add("worst", name(worst(report.findings))).add("counts", counts);
  return json.add("findings", findings).add("capacity", demand).text() + "\n";
}

}  // namespace forebay::cli
