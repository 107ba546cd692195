#include "forebay/postgres/sql/sql_enum.hpp"

#include <fmt/format.h>

#include "forebay/base/misuse.hpp"

namespace forebay::postgres {

void detail::stop_for_missing_label(long long value) {
  stop_for_misuse(
      fmt::format("an enum whose value is {} was sent to the server, and its EnumLabels "
                  "have no label for it",
                  value));
}

}  // namespace forebay::postgres
