// Which C++ types are values of statements and rows, besides numbers, texts and bytes:
//
//   uuid          Uuid
//   timestamptz   std::chrono::sys_time<…>, WallTime         sql_times.hpp
//   timestamp     std::chrono::local_time<…>; as UTC, sys_time
//   date          std::chrono::year_month_day, sys_days, local_days
//   time          std::chrono::hh_mm_ss<…>, any duration
//   interval      Interval; any duration, if it has no days and months
//   numeric       Numeric, which keeps every digit           numeric.hpp
//   arrays        std::vector<T>, std::vector<std::optional<T>>, std::vector<std::vector<T>>
//   enums         an enum that has EnumLabels                sql_enum.hpp
//   json, jsonb   boost::json::value                         <forebay/json.hpp>
//
// A row is read as a tuple of these, or as a struct (row_struct.hpp).
#pragma once

#include <string>
#include <string_view>

#include "forebay/ids/timestamp.hpp"
#include "forebay/ids/uuid.hpp"
#include "forebay/postgres/sql/interval.hpp"
#include "forebay/postgres/sql/numeric.hpp"
#include "forebay/postgres/sql/sql_array.hpp"
#include "forebay/postgres/sql/sql_enum.hpp"
#include "forebay/postgres/sql/sql_times.hpp"
#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

template <>
struct SqlValue<Uuid> {
  static std::string to_text(const Uuid& id) { return id.text(); }
  static Result<Uuid> from_text(std::string_view text) {
    const Result<Uuid> id = Uuid::parse(text);
    if (!id) return not_a("a UUID", text);
    return *id;
  }
};

}  // namespace forebay::postgres
