// An enum as an application has one, with what the server calls its values.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "forebay/postgres/sql/sql_enum.hpp"

namespace forebay::postgres {

enum class Colour : std::uint8_t { red, deep_blue };

template <>
struct EnumLabels<Colour> {
  static constexpr std::pair<Colour, std::string_view> labels[] = {
      {Colour::red, "red"}, {Colour::deep_blue, "deep blue"}};
};

}  // namespace forebay::postgres
