#include "forebay/base/error.hpp"

namespace forebay {

std::string_view name(Errc code) {
  switch (code) {
    case Errc::timed_out: return "timed_out";
    case Errc::closed: return "closed";
    case Errc::connect_failed: return "connect_failed";
    case Errc::refused: return "refused";
    case Errc::token_expired: return "token_expired";
    case Errc::limit_reached: return "limit_reached";
    case Errc::connection_lost: return "connection_lost";
    case Errc::statement_failed: return "statement_failed";
    case Errc::condition_failed: return "condition_failed";
    case Errc::unknown_outcome: return "unknown_outcome";
    case Errc::not_found: return "not_found";
    case Errc::invalid: return "invalid";
  }
  std::unreachable();
}

}  // namespace forebay
