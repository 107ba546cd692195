// ErrorClass: what an error means for code that might run a transaction again. The maker of the
// error says it, and nobody works it out again.
//
// The set is closed: it is used as a label of metrics.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace forebay {

enum class ErrorClass : std::uint8_t {
  retryable,            // another transaction won, or the server asks to try again; nothing applied
  condition_failed,     // a fenced update found another token: the caller has to look again
  permanent,            // the same again would end the same
  unsupported_feature,  // a statement that this server does not have
  connection_limit,     // no connection left for us, or not at this rate
  transaction_timeout,  // the caller's deadline, or a time limit of the server
  connection_lost,      // before COMMIT was sent: the server has rolled back; nothing applied
  unknown_outcome,      // during COMMIT: done or not, nobody can say
  unknown,              // a code that no document has, or none at all: not retried either
};
inline constexpr std::size_t kErrorClasses = 9;
inline constexpr std::array<ErrorClass, kErrorClasses> kAllErrorClasses{
    ErrorClass::retryable,           ErrorClass::condition_failed, ErrorClass::permanent,
    ErrorClass::unsupported_feature, ErrorClass::connection_limit, ErrorClass::transaction_timeout,
    ErrorClass::connection_lost,     ErrorClass::unknown_outcome,  ErrorClass::unknown};

std::string_view name(ErrorClass error_class);

}  // namespace forebay
