// Why a connection could not be opened: the step of the gate that failed. A closed set, used as
// metric label and log field.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/error.hpp"

namespace forebay {

enum class OpenFailure : std::uint8_t {
  lease_acquire,    // the cluster has no room for one more, or nobody could say
  rate_limit,       // no permit to start now
  token_provider,   // no token or password to present
  connection_open,  // the server refused, or did not answer
  after_connect,    // the application's own hook refused it
};

inline constexpr std::size_t kOpenFailures = 5;

constexpr std::string_view name(OpenFailure reason) {
  constexpr std::array<std::string_view, kOpenFailures> names = {
      "lease_acquire", "rate_limit", "token_provider", "connection_open", "after_connect"};
  return names[static_cast<std::size_t>(reason)];
}

// An attempt that failed: where, and what was said. Has a constructor because coroutines hand it
// on.
class FailedOpen {
 public:
  FailedOpen(OpenFailure step, Error what) : reason(step), error(std::move(what)) {}

  // For people: the error, and before it the step, where the error alone does not tell.
  std::string text() const;

  OpenFailure reason;
  Error error;
};

// Waiting does not mend it; somebody has to: who we are, what we ask for, whom we believe. The one
// place that says so. What the words of a server mean is decided before, by the driver.
bool is_for_good(const FailedOpen& failed);

// The server has no place for one more. A cluster that is full shares by rules of its leases.
bool is_full(const FailedOpen& failed);

// The cluster has no lease for one more. What this process has leased it may go on using.
bool is_cluster_full(const FailedOpen& failed);

}  // namespace forebay
