// Rows of a live view that show a pool, and how they are set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/cli/text/styled_line.hpp"
#include "forebay/pool/statistics.hpp"

namespace forebay::cli {

inline constexpr int kNameColumn = 2;
inline constexpr int kValueColumn = 13;
inline constexpr int kBarColumn = 22;

std::string row_rate_text(double per_second);  // "3.5/s", "12,300/s"
std::string minutes_text(Duration time);       // "1:05"

int row_bar_width(const TextStyle& style);
StyledLine named_row(const TextStyle& style, std::string_view name);
// How many connections there are in each state, and an empty line.
void add_connection_rows(const PoolStatistics& pool, const TextStyle& style,
                         std::vector<std::string>& lines);

}  // namespace forebay::cli
