#include "forebay/cli/sim/process_table.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::cli {
namespace {

constexpr std::size_t kMostProcesses = 12;  // more are not read
constexpr std::size_t kWorstProcesses = 8;  // shown of more

struct Row {
  std::string name;
  int target = 0;
  bool has_run = true;  // false: it was to start later than the run ended
  std::optional<Duration> converged_after;
  std::uint64_t opened = 0;
  std::uint64_t empty_events = 0;
  std::uint64_t timeouts = 0;
  sim::WaitPercentiles waits;

  // What a reader asks for first: who never got there, who let callers go away, who was slow.
  auto badness() const {
    return std::tuple(has_run && !converged_after, timeouts, empty_events, waits.p99,
                      converged_after.value_or(Duration::zero()));
  }
};

Row row_of(const sim::ServiceResult& process) {
  Row row;
  row.name = process.name;
  row.target = process.target;
  row.converged_after = process.converged_after;
  row.waits = process.waits;
  if (!process.samples.empty()) {
    const sim::Sample& last = process.samples.back();
    row.opened = last.opened;
    row.empty_events = last.empty_events;
    row.timeouts = last.timeouts;
    row.has_run = std::ranges::any_of(process.samples, &sim::Sample::is_up) || last.opened > 0;
  }
  return row;
}

Row total_of(const std::vector<Row>& rows, const sim::RunResult& result) {
  Row total;
  total.name = "all";
  total.waits = result.waits;
  total.converged_after = Duration::zero();
  for (const Row& row : rows) {
    if (!row.has_run) continue;
    total.target += row.target;
    total.opened += row.opened;
    total.empty_events += row.empty_events;
    total.timeouts += row.timeouts;
    if (!row.converged_after) total.converged_after.reset();
    if (total.converged_after) {
      total.converged_after = std::max(*total.converged_after, *row.converged_after);
    }
  }
  return total;
}

std::string converged(const Row& row) {
  if (row.converged_after) return readable_time(*row.converged_after);
  return row.has_run ? "never" : "not up";
}

class Table {
 public:
  Table(const std::vector<Row>& rows, TextBlock& block) : block_(block) {
    for (const Row& row : rows) longest_ = std::max(longest_, columns_of(row.name));
    name_width_ = std::clamp(longest_, 8, 22);
  }

  void head() {
    StyledLine line = block_.line();
    line.add("processes", Colour::bold).to_column(2 + name_width_);
    block_.keep(line.add(fmt::format("{:>7}{:>11}{:>10}{:>8}{:>9}{:>10}", "target", "converged",
                                     "opened", "empty", "timeouts", "p99 wait"),
                         Colour::dim));
  }

  void add(const Row& row, Colour colour = Colour::plain) {
    StyledLine line = block_.line();
    line.add("  ").add(fitted(row.name), colour);
    if (line.columns() < 2 + name_width_) line.to_column(2 + name_width_);
    line.add(fmt::format("{:>7}", grouped(static_cast<std::uint64_t>(row.target))));
    const bool is_bad = row.has_run && !row.converged_after;
    line.add(fmt::format("{:>11}", converged(row)), is_bad ? Colour::red : Colour::plain);
    line.add(fmt::format("{:>10}", grouped(row.opened)));
    line.add(fmt::format("{:>8}", grouped(row.empty_events)),
             row.empty_events > 0 ? Colour::yellow : Colour::plain);
    line.add(fmt::format("{:>9}", grouped(row.timeouts)),
             row.timeouts > 0 ? Colour::red : Colour::plain);
    block_.keep(
        line.add(fmt::format("{:>10}", row.waits.count > 0 ? readable_time(row.waits.p99) : "-")));
  }

 private:
  // The end of such a name tells replicas apart.
  std::string fitted(const std::string& name) const {
    if (columns_of(name) <= name_width_ || name.size() <= 22) return name;
    return name.substr(0, 8) + ".." + name.substr(name.size() - 12);
  }

  TextBlock& block_;
  int longest_ = 0;
  int name_width_ = 0;
};

}  // namespace

void add_process_table(const sim::RunResult& result, TextBlock& block) {
  std::vector<Row> rows;
  rows.reserve(result.services.size());
  for (const sim::ServiceResult& process : result.services) rows.push_back(row_of(process));
  const Row total = total_of(rows, result);
  const std::size_t count = rows.size();
  if (count > kMostProcesses) {
    std::ranges::sort(rows, [](const Row& left, const Row& right) {
      return left.badness() != right.badness() ? left.badness() > right.badness()
                                               : left.name < right.name;
    });
    rows.resize(kWorstProcesses);
  }
  Table table(rows, block);
  table.head();
  for (const Row& row : rows) table.add(row);
  if (rows.size() < count) {
    block.keep(block.line().add(
        fmt::format("  {} others, none of them worse", grouped(count - rows.size())), Colour::dim));
  }
  if (count > 1) table.add(total, Colour::bold);
}

}  // namespace forebay::cli
