// Types as they are declared, which DSQL's columns may have, and how PostgreSQL shows them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/wire/sql_tree.hpp"

namespace forebay::standin {

struct ColumnType {
  explicit ColumnType(const wire::SqlNode& type_name);

  std::string name;   // PostgreSQL's own, "int4"; empty: another schema's
  std::string shown;  // "integer[]"
  bool is_array = false;
  std::int64_t length = 0;  // of char(n) and varchar(n); 0: none is given

  // Neither built into DSQL, nor possibly made by a user.
  bool is_unsupported() const;
  bool is_serial() const;
};

}  // namespace forebay::standin
