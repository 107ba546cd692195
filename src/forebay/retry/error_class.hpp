// ErrorClass: what an error means for whoever might run a transaction again. Pure: error in, class
// out.
//
// The set is closed: it is used as a label of metrics.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "forebay/base/error.hpp"

namespace forebay {

enum class ErrorClass : std::uint8_t {
  retryable,            // another transaction won, or the server asks to try again; nothing applied
  condition_failed,     // a fenced update found another token: the caller has to look again
  permanent,            // the same again would end the same; also everything not listed here
  unsupported_feature,  // a statement that this server does not have
  connection_limit,     // no connection left for us, or not at this rate
  transaction_timeout,  // the caller's deadline, or a time limit of the server
  connection_lost,      // before COMMIT was sent: the server has rolled back; nothing applied
  unknown_outcome,      // during COMMIT: done or not, nobody can say
};
inline constexpr std::size_t kErrorClasses = 8;
inline constexpr std::array<ErrorClass, kErrorClasses> kAllErrorClasses{
    ErrorClass::retryable,           ErrorClass::condition_failed, ErrorClass::permanent,
    ErrorClass::unsupported_feature, ErrorClass::connection_limit, ErrorClass::transaction_timeout,
    ErrorClass::connection_lost,     ErrorClass::unknown_outcome};

std::string_view name(ErrorClass error_class);

// By the code, and for what a server said by SQLSTATE and message (OC000, OC001). A deadlock
// (40P01) is retryable: the server chose this transaction as the one to roll back.
ErrorClass classify(const Error& error);

// An unknown outcome is worth it only if a second application changes nothing.
bool is_worth_retrying(ErrorClass error_class, bool is_idempotent);

}  // namespace forebay
