// For applications that use Boost.JSON: json and jsonb as boost::json::value.
//
//   auto order = session->query_one_blocking<boost::json::value>(
//       "INSERT INTO orders VALUES ($1) RETURNING data", parameters(boost::json::value(data)), 5s);
//
// What Boost.JSON cannot hold is not exact: whole numbers beyond 64 bits become doubles, and of
// keys that come twice (json keeps them, jsonb does not) the last counts. jsonb writes 1E0 as 1,
// which is then a whole number. JSON has neither NaN nor infinity, and jsonb no zero character: the
// server refuses them. Deeper than kDeepestJson is Errc::invalid.
//
// The symbols of Boost.JSON come with the library; link no other copy of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

inline constexpr std::size_t kDeepestJson = 500;  // reading goes as deep into the stack

template <>
struct SqlValue<boost::json::value> {
  static std::string to_text(const boost::json::value& value) {
    return boost::json::serialize(value);
  }
  static Result<boost::json::value> from_text(std::string_view text) {
    boost::json::parse_options options;
    options.max_depth = kDeepestJson;
    boost::system::error_code problem;
    boost::json::value value = boost::json::parse({text.data(), text.size()}, problem, {}, options);
    if (problem) return not_a("JSON in UTF-8 (" + problem.message() + ")", text);
    return value;
  }
};

}  // namespace forebay::postgres
