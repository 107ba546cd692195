// Parameters: the values of $1, $2, … of a statement, as text.
//
//   session->exec_blocking("UPDATE shard SET owner = $2 WHERE id = $1", parameters(7, "a"), 5s);
//
// SqlValue says which types are allowed. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

using Parameters = std::vector<std::optional<std::string>>;  // nothing means NULL

template <class... T>
Parameters parameters(const T&... values) {
  Parameters texts;
  texts.reserve(sizeof...(values));
  (texts.push_back(to_sql(values)), ...);
  return texts;
}

}  // namespace forebay::postgres
