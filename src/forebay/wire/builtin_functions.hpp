// What PostgreSQL's own functions leave in a session.
#pragma once

#include <string_view>
#include <vector>

namespace forebay::wire {

// Functions of pg_catalog that leave nothing, in order: those that are immutable or stable, and
// some of the others. What is for the server's inside only is not listed.
const std::vector<std::string_view>& neutral_builtins();
bool is_neutral_builtin(std::string_view name);

}  // namespace forebay::wire
