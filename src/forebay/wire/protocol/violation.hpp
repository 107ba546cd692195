// What a peer did against the protocol, as an Error with the SQLSTATE that PostgreSQL would give.
#pragma once

#include <string>
#include <utility>

#include "forebay/base/error.hpp"

namespace forebay::wire {

inline constexpr const char* kProtocolViolation = "08P01";
inline constexpr const char* kLimitExceeded = "54000";
inline constexpr const char* kNotSupported = "0A000";

inline Error violation(std::string text, const char* sqlstate = kProtocolViolation) {
  return Error(Errc::invalid, ErrorClass::permanent, std::move(text), sqlstate);
}

}  // namespace forebay::wire
