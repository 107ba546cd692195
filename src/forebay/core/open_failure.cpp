#include "forebay/core/open_failure.hpp"

namespace forebay {
namespace {

std::string_view introduction(OpenFailure reason) {
  switch (reason) {
    case OpenFailure::lease_acquire: return "no lease: ";
    case OpenFailure::rate_limit: return "no permit: ";
    case OpenFailure::token_provider: return "no token: ";
    case OpenFailure::connection_open: return "";
    case OpenFailure::after_connect: return "the after-connect hook refused it: ";
  }
  std::unreachable();
}

}  // namespace

std::string FailedOpen::text() const { return std::string(introduction(reason)) + error.text(); }

}  // namespace forebay
