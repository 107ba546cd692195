// For applications that use fmt: an Error, its code and its class as arguments of fmt::format().
//
//   fmt::print(stderr, "{}\n", rows.error());   statement_failed (42P01): relation "t" does not …
//
// Format specifications are those of strings. Link fmt yourself.
#pragma once

#include <string_view>

#include <fmt/format.h>

#include "forebay/base/error.hpp"

template <>
struct fmt::formatter<forebay::Error> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const forebay::Error& error, Context& context) const {
    return fmt::formatter<std::string_view>::format(forebay::to_string(error), context);
  }
};

template <>
struct fmt::formatter<forebay::Errc> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(forebay::Errc code, Context& context) const {
    return fmt::formatter<std::string_view>::format(forebay::name(code), context);
  }
};

template <>
struct fmt::formatter<forebay::ErrorClass> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(forebay::ErrorClass error_class, Context& context) const {
    return fmt::formatter<std::string_view>::format(forebay::name(error_class), context);
  }
};
