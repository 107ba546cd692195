// is_one_of(names, name): whether a fixed list has that name. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace forebay::aws {

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace forebay::aws
