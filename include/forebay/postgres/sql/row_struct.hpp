// Structs as rows: a field for each column.
//
//   struct Planet {
//     std::string name;
//     int moons = 0;
//   };
//   session->query_blocking<Planet>("SELECT name, moons FROM planets", 5s);  // by position
//
// Any aggregate of up to 16 fields, each of a type that has a SqlValue, in the order of the columns
// and as many. To read by name, in whatever order the columns come, say which field has which:
//
//   template <>
//   struct forebay::postgres::RowColumns<Planet> {
//     static constexpr std::tuple columns{Column{"name", &Planet::name},
//                                         Column{"moons", &Planet::moons}};
//   };
//
// Then every column of the list must be there once, and further ones are left alone, so that a
// table may get columns while services run. Such a struct need not be an aggregate and may have any
// number of fields; it is made empty, and fields outside of the list stay as they are. Pure.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

template <class Struct, class Field>
struct Column {
  using FieldType = Field;

  std::string_view name;
  Field Struct::* field;
};
template <class Struct, class Field>
Column(const char*, Field Struct::*) -> Column<Struct, Field>;

template <class T>
struct RowColumns;

// It says which columns its fields are.
template <class T>
concept NamedRow = requires { RowColumns<T>::columns; };

namespace detail {

template <class T>
inline constexpr bool kIsTupleLike = requires { std::tuple_size<T>::value; };

}  // namespace detail

// A row as a whole, and no value of a column.
template <class T>
concept RowStruct = NamedRow<T> || (std::is_class_v<T> && std::is_aggregate_v<T> &&
                                    !detail::kIsTupleLike<T> && !SqlReadable<T>);

namespace detail {

inline constexpr std::size_t kMostFields = 16;

// Whatever a field may be.
struct AnyField {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): that is what it is for
};
template <std::size_t>
using AnyFieldAt = AnyField;

template <class T, std::size_t... Field>
consteval bool takes_fields(std::index_sequence<Field...>) {
  return requires { T{AnyFieldAt<Field>()...}; };
}

// One more than can be bound if there are too many.
template <class T, std::size_t kCount = kMostFields + 1>
consteval std::size_t count_fields() {
  if constexpr (kCount == 0 || takes_fields<T>(std::make_index_sequence<kCount>()))
    return kCount;
  else
    return count_fields<T, kCount - 1>();
}

template <class... T>
struct FieldTypes {
  static constexpr std::size_t kCount = sizeof...(T);
};
template <class... T>
FieldTypes<std::remove_const_t<T>...> types_of(T&...) {
  return {};
}

// Only to be asked for its type.
template <class T>
auto bound_field_types(T& row) {
  constexpr std::size_t kCount = count_fields<T>();
  static_assert(kCount > 0,
                "this struct cannot be a row: it has no fields, and no SqlValue that "
                "would make it the value of a column.");
  static_assert(kCount <= kMostFields,
                "this struct has more than 16 fields. Specialize forebay::postgres::RowColumns for "
                "it, as forebay/postgres/sql/row_struct.hpp shows, to read it by name.");
  if constexpr (kCount == 1) {
    auto& [a] = row;
    return types_of(a);
  } else if constexpr (kCount == 2) {
    auto& [a, b] = row;
    return types_of(a, b);
  } else if constexpr (kCount == 3) {
    auto& [a, b, c] = row;
    return types_of(a, b, c);
  } else if constexpr (kCount == 4) {
    auto& [a, b, c, d] = row;
    return types_of(a, b, c, d);
  } else if constexpr (kCount == 5) {
    auto& [a, b, c, d, e] = row;
    return types_of(a, b, c, d, e);
  } else if constexpr (kCount == 6) {
    auto& [a, b, c, d, e, f] = row;
    return types_of(a, b, c, d, e, f);
  } else if constexpr (kCount == 7) {
    auto& [a, b, c, d, e, f, g] = row;
    return types_of(a, b, c, d, e, f, g);
  } else if constexpr (kCount == 8) {
    auto& [a, b, c, d, e, f, g, h] = row;
    return types_of(a, b, c, d, e, f, g, h);
  } else if constexpr (kCount == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = row;
    return types_of(a, b, c, d, e, f, g, h, i);
  } else if constexpr (kCount == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = row;
    return types_of(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (kCount == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = row;
    return types_of(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (kCount == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = row;
    return types_of(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (kCount == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = row;
    return types_of(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (kCount == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = row;
    return types_of(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (kCount == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = row;
    return types_of(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (kCount == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = row;
    return types_of(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else {
    return FieldTypes<>();
  }
}

template <class T>
struct NamedFieldTypes;
template <class... Named>
struct NamedFieldTypes<const std::tuple<Named...>> {
  using type = FieldTypes<typename Named::FieldType...>;
};

}  // namespace detail

}  // namespace forebay::postgres
