#include "forebay/base/error_class.hpp"

#include <utility>

namespace forebay {

std::string_view name(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::retryable: return "retryable";
    case ErrorClass::condition_failed: return "condition_failed";
    case ErrorClass::permanent: return "permanent";
    case ErrorClass::unsupported_feature: return "unsupported_feature";
    case ErrorClass::connection_limit: return "connection_limit";
    case ErrorClass::transaction_timeout: return "transaction_timeout";
    case ErrorClass::connection_lost: return "connection_lost";
    case ErrorClass::unknown_outcome: return "unknown_outcome";
    case ErrorClass::unknown: return "unknown";
  }
  std::unreachable();
}

}  // namespace forebay
