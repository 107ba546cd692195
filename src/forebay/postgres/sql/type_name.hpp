// What the server calls a type, by the number that it sends with each column. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace forebay::postgres {

// "int4", "text[]"; "type 16385" for those that a database has made itself.
std::string type_name(std::uint32_t oid);

}  // namespace forebay::postgres
