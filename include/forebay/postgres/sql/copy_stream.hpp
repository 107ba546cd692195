// CopySource and CopySink: where the rows of a COPY come from, and where they go.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "forebay/base/error.hpp"

namespace forebay::postgres {

// Appends the next part of the stream, a row or as much as it likes. False: that was all. A source
// appends or ends: one that has nothing yet and says that there is more is asked again and again
// until the deadline.
using CopySource = std::function<Result<bool>(std::string& chunk)>;
// Takes the next part of the stream; PostgreSQL sends a row at a time.
using CopySink = std::function<Result<void>(std::string_view chunk)>;

// A lambda, say, that is about to become a Wanted.
template <class F, class Wanted>
concept CallableOtherThan =
    !std::same_as<std::remove_cvref_t<F>, Wanted> && std::convertible_to<F, Wanted>;

}  // namespace forebay::postgres
