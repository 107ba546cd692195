// QueryResult: what the server answered to one statement, owned.
//
// Always holds a successful answer; failures are Errors. Views into it live as long as it does.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "forebay/postgres/libpq_env.hpp"

namespace forebay::postgres {

class QueryResult {
 public:
  explicit QueryResult(ResultHandle result) : result_(std::move(result)) {}

  int rows() const;
  int columns() const;
  std::string_view column_name(int column) const;
  // Nothing for NULL. REQUIRES: row and column exist.
  std::optional<std::string_view> value(int row, int column) const;

  std::string_view command_tag() const;  // "INSERT 0 3"
  std::uint64_t affected_rows() const;   // 0 where the command does not say
  // True: a COPY has begun, to be carried on through LibpqConnection::native().
  bool is_copy() const;

 private:
  ResultHandle result_;
};

}  // namespace forebay::postgres
