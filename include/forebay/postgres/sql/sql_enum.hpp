// EnumLabels<E>: what the server calls the values of a C++ enum. With it, E has a SqlValue.
//
//   template <>
//   struct forebay::postgres::EnumLabels<Colour> {
//     static constexpr std::pair<Colour, std::string_view> labels[] = {
//         {Colour::red, "red"}, {Colour::deep_blue, "deep blue"}};
//   };
//
// For enum types of the server as well as for texts. A label that is not in the list is
// Errc::invalid when it is read; a value that is not stops the process when it is sent, with a
// sentence, because the list is not complete then. Pure.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

template <class E>
struct EnumLabels;

template <class E>
concept LabelledEnum = std::is_enum_v<E> && requires {
  { EnumLabels<E>::labels[0].first } -> std::convertible_to<E>;
  { EnumLabels<E>::labels[0].second } -> std::convertible_to<std::string_view>;
};

namespace detail {
[[noreturn]] void stop_for_missing_label(long long value);
}

template <LabelledEnum E>
struct SqlValue<E> {
  static std::string to_text(E value) {
    for (const auto& [known, label] : EnumLabels<E>::labels) {
      if (known == value) return std::string(label);
    }
    detail::stop_for_missing_label(static_cast<long long>(value));
  }
  static Result<E> from_text(std::string_view text) {
    for (const auto& [value, label] : EnumLabels<E>::labels) {
      if (label == text) return value;
    }
    return not_a("a label of its EnumLabels", text);
  }
};

}  // namespace forebay::postgres
