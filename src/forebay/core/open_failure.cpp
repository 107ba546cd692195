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

// A token that has run out comes here only when a fresh one did not help, or there is none. Leases
// and permits are asked for by agents that go on by themselves, and what the application's hook
// means by its errors only the application knows.
bool is_for_good(const FailedOpen& failed) {
  const Errc code = failed.error.code();
  switch (failed.reason) {
    case OpenFailure::connection_open:
      return code == Errc::refused || code == Errc::token_expired || code == Errc::invalid;
    case OpenFailure::token_provider: return code == Errc::refused;
    case OpenFailure::lease_acquire:
    case OpenFailure::rate_limit:
    case OpenFailure::after_connect: return false;
  }
  std::unreachable();
}

// Too many connects at once (Errc::rate_reached) say nothing about how many there may be.
bool is_full(const FailedOpen& failed) {
  return failed.reason == OpenFailure::connection_open &&
         failed.error.code() == Errc::limit_reached;
}

bool is_cluster_full(const FailedOpen& failed) {
  return failed.reason == OpenFailure::lease_acquire && failed.error.code() == Errc::limit_reached;
}

std::string FailedOpen::text() const { return std::string(introduction(reason)) + error.text(); }

}  // namespace forebay
