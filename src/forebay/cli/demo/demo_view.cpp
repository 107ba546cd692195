#include "forebay/cli/demo/demo_view.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/cli/demo/discard_list.hpp"
#include "forebay/cli/text/pool_rows.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::cli {
namespace {

constexpr int kFullWidth = 72;  // below it lines are cut
constexpr std::size_t kDiscardLines = 2;

class View {
 public:
  View(const DemoOptions& options, const DemoTrend& trend, const TextStyle& style)
      : options_(options), trend_(trend), pool_(trend.now.pool), style_(style) {}

  std::vector<std::string> lines(DemoStage stage) {
    head(stage);
    add_connection_rows(pool_, style_, lines_);
    supply();
    callers();
    errors();
    return std::move(lines_);
  }

 private:
  StyledLine line() const { return StyledLine(style_); }
  StyledLine named(std::string_view name) const { return named_row(style_, name); }
  void keep(const StyledLine& finished) { lines_.push_back(finished.text()); }
  void blank() { lines_.emplace_back(); }

  void head(DemoStage stage);
  void supply();
  void discards();
  void callers();
  void errors();
  void error(std::string_view name, std::string_view text, int most);

  const DemoOptions& options_;
  const DemoTrend& trend_;
  const PoolStatistics& pool_;
  const TextStyle style_;
  std::vector<std::string> lines_;
};

void View::head(DemoStage stage) {
  std::string clock = minutes_text(trend_.now.at);
  if (options_.run_time > Duration::zero()) clock += " of " + minutes_text(options_.run_time);
  if (stage == DemoStage::filling) clock = "filling";
  if (stage == DemoStage::ending) clock = "ending";
  keep(line()
           .add("forebay demo", Colour::bold)
           .add("  on ")
           .add(options_.place)
           .at_right(clock, Colour::bold));
  if (style_.width < kFullWidth) {
    keep(line().add(fmt::format("{} columns are too few; {} show all", style_.width, kFullWidth),
                    Colour::yellow));
  } else {
    keep(line()
             .add(fmt::format("{} callers hold a session for {} each; connections live {}",
                              options_.threads, duration_text(options_.hold),
                              duration_text(*options_.pool.lifetime)),
                  Colour::dim)
             .at_right("Ctrl-C ends", Colour::dim));
  }
  if (!options_.metrics_url.empty())
    keep(line().add("metrics at " + options_.metrics_url, Colour::dim));
  blank();
}

void View::supply() {
  const PoolCounters& counters = pool_.counters;
  const double limit = *options_.pool.connect_rate;
  keep(line().add("supply", Colour::bold));
  StyledLine connects = named("connects");
  connects.add(fmt::format("{:>7}", row_rate_text(trend_.connects_per_second)))
      .to_column(kBarColumn);
  if (limit > 0) {
    connects.bar(row_bar_width(style_), trend_.connects_per_second, limit, Colour::yellow)
        .add(fmt::format("  limit {:g}/s, burst {}", limit, *options_.pool.connect_burst),
             Colour::dim);
  } else {
    connects.add("no limit", Colour::dim);
  }
  keep(connects);
  StyledLine opened = named("opened");
  opened.add(fmt::format("{:>7}", grouped(counters.opened)))
      .to_column(kBarColumn)
      .add(fmt::format("{} failed", grouped(counters.open_failures())),
           counters.open_failures() > 0 ? Colour::red : Colour::plain);
  // Before the first one there is only a guess.
  if (counters.opened > 0) {
    opened.add(fmt::format(", a connect takes {}", readable_time(pool_.connect_time)), Colour::dim);
  }
  keep(opened);
  discards();
  blank();
}

void View::discards() {
  const DiscardList list(pool_.counters);
  StyledLine row = named("discarded");
  row.add(fmt::format("{:>7}", grouped(list.total())));
  for (const std::string& reasons : list.lines(style_.width - kBarColumn, kDiscardLines)) {
    keep(row.to_column(kBarColumn).add(reasons, Colour::dim));
    row = line();
  }
}

void View::callers() {
  const LoadCounts& load = trend_.now.load;
  const LatencySnapshot& times = trend_.recent_acquire_times;
  const std::uint64_t empty = pool_.counters.empty;
  keep(line().add("callers", Colour::bold));
  keep(named("statements")
           .add(fmt::format("{:>7}", row_rate_text(trend_.statements_per_second)))
           .to_column(kBarColumn)
           .add(fmt::format("{} in all, ", grouped(load.statements)))
           .add(fmt::format("{} failed", grouped(load.failures)),
                load.failures > 0 ? Colour::red : Colour::plain));
  keep(named("acquire")
           .add("p50 ", Colour::dim)
           .add(fmt::format("{:<9}", readable_time(times.percentile(50))))
           .add(" p99 ", Colour::dim)
           .add(fmt::format("{:<9}", readable_time(times.percentile(99))))
           .add(" p99.9 ", Colour::dim)
           .add(fmt::format("{:<9}", readable_time(times.percentile(99.9))))
           .add(" last 10s", Colour::dim));
  keep(named("empty")
           .add(fmt::format("{:>7}", grouped(empty)), empty > 0 ? Colour::red : Colour::green)
           .to_column(kBarColumn)
           .add(empty == 1 ? "time a caller found" : "times a caller found", Colour::dim)
           .add(" none ready; ", Colour::dim)
           .add(fmt::format("{} waiting now", pool_.waiters),
                pool_.waiters > 0 ? Colour::yellow : Colour::plain));
}

void View::errors() {
  if (pool_.last_connect_error.empty() && trend_.now.load.last_failure.empty()) return;
  blank();
  // Over two lines if it must: the end of such a text often says the most.
  error("last connect error", pool_.last_connect_error, 2);
  error("last failure", trend_.now.load.last_failure, 1);
}

void View::error(std::string_view name, std::string_view text, int most) {
  StyledLine row = line();
  row.add(name, Colour::red).add(": ");
  for (int i = 0; i < most && !text.empty(); ++i) {
    const auto room = static_cast<std::size_t>(std::max(style_.width - row.columns(), 0));
    keep(row.add(text));
    text.remove_prefix(std::min(room, text.size()));
    row = line();
    row.add("  ");
  }
}

}  // namespace

std::vector<std::string> render(const DemoOptions& options, DemoStage stage, const DemoTrend& trend,
                                const TextStyle& style) {
  return View(options, trend, style).lines(stage);
}

}  // namespace forebay::cli
