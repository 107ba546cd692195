#include "forebay/postgres/sql/sql_types.hpp"

#include <algorithm>

namespace forebay::postgres {

Result<Timestamp> parse_timestamp_or_date(std::string_view text) {
  if (text.contains(':')) return parse_timestamp(text);
  const std::size_t end_of_day = std::min(text.find(' '), text.size());  // then " BC", or nothing
  std::string midnight(text);
  midnight.insert(end_of_day, " 00:00:00");
  const Result<Timestamp> parsed = parse_timestamp(midnight);
  if (!parsed) return not_a("a point in time (DateStyle = ISO)", text);
  return *parsed;
}

}  // namespace forebay::postgres
