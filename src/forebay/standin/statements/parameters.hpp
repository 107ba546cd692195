// The parameters that DSQL lets a session set.
#pragma once

#include <string_view>

namespace forebay::standin {

// By SET, SET LOCAL, set_config() and at start-up. `role` has a rule of its own.
bool is_allowed_parameter(std::string_view name);

// DSQL's own, which PostgreSQL takes only as somebody's: with a dot in the name.
inline constexpr std::string_view kOwnParameter = "disable_sync_create_index";
inline constexpr std::string_view kOwnPrefix = "standin.";

}  // namespace forebay::standin
