#include "forebay/cli/text/pool_rows.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace forebay::cli {
namespace {

constexpr int kRightOfBar = 24;  // columns kept for the words behind a bar

}  // namespace

std::string row_rate_text(double per_second) {
  return per_second < 99.95 ? fmt::format("{:.1f}/s", per_second)
                            : grouped(static_cast<std::uint64_t>(per_second + 0.5)) + "/s";
}

std::string minutes_text(Duration time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

int row_bar_width(const TextStyle& style) {
  return std::clamp(style.width - kBarColumn - kRightOfBar, 6, 60);
}

StyledLine named_row(const TextStyle& style, std::string_view name) {
  StyledLine row(style);
  row.to_column(kNameColumn).add(name).to_column(kValueColumn);
  return row;
}

void add_connection_rows(const PoolStatistics& pool, const TextStyle& style,
                         std::vector<std::string>& lines) {
  const auto row = [&](std::string_view name, int count, Colour colour,
                       std::string_view note = {}) {
    lines.push_back(named_row(style, name)
                        .add(fmt::format("{:>7}", count))
                        .to_column(kBarColumn)
                        .bar(row_bar_width(style), count, pool.max, colour)
                        .add(note.empty() ? "" : "  ")
                        .add(note, Colour::dim)
                        .text());
  };
  const int counted = pool.open() + pool.opening + pool.closing;
  lines.push_back(StyledLine(style)
                      .add("connections", Colour::bold)
                      .to_column(kValueColumn)
                      .add(fmt::format("{} of at most {}", counted, pool.max))
                      .text());
  row("ready", pool.ready, Colour::green, fmt::format("target {}", pool.target_ready));
  row("lent", pool.lent, Colour::blue);
  row("cleaning", pool.cleaning, Colour::cyan);
  row("opening", pool.opening, Colour::yellow);
  row("closing", pool.closing, Colour::magenta);
  lines.emplace_back();
}

}  // namespace forebay::cli
