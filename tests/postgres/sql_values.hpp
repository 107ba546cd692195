// Words for tests of SqlValue without a server: there and back, and what is said to what does not
// fit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "forebay/postgres/sql/sql_value.hpp"

namespace forebay::postgres {

template <class T>
Result<T> there_and_back(const T& value) {
  const std::optional<std::string> text = to_sql(value);
  return from_sql<T>(text ? std::optional<std::string_view>(*text) : std::nullopt);
}

template <class T>
void expect_exact(const T& value) {
  const Result<T> back = there_and_back(value);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(*back, value);
}

template <class T>
std::string refusal(std::optional<std::string_view> text) {
  const Result<T> value = from_sql<T>(text);
  if (value) return "accepted";
  EXPECT_EQ(value.error().code(), Errc::invalid);
  return value.error().text();
}

}  // namespace forebay::postgres
