// What Aurora DSQL says where PostgreSQL says something else. Pure.
#pragma once

#include <optional>

#include "forebay/wire/protocol/error_fields.hpp"

namespace forebay::standin {

// Nothing: the server's own words will do. Of an error about a text of ours, places in it are left
// out. A wait for a lock, which never is longer than a moment
// here, and a serialization failure are conflicts; of DDL they are conflicts of the schema.
std::optional<wire::ErrorReport> dsql_error(const wire::ErrorFields& fields, bool is_in_ddl,
                                            bool is_rewritten);

}  // namespace forebay::standin
