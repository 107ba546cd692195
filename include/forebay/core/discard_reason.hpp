// Why a connection was closed: a closed set, used as metric label, log field and argument of hooks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace forebay {

enum class DiscardReason : std::uint8_t {
  insufficient_remaining_lifetime,  // inside its guard window when somebody wanted it or gave it
                                    // back
  expired_on_checkout,
  expired_on_return,
  expired_on_scan,
  expiring_soon_on_scan,  // inside its guard window, found by the expiry pass
  reservoir_full,         // given back while enough others were ready
  replaced,               // retired ahead of its guard window, so that retirements stay spaced
  idle,                   // nobody wanted it for longer than the idle timeout
  broken,                 // its user, or the driver, said that it is useless
  reset_failed,
  check_failed,    // it had been idle and the server no longer answered
  hook_failed,     // the application's own after-connect hook refused it
  shrunk,          // the pool was made smaller
  discarded,       // its user wanted it gone
  lease_lost,      // the cluster no longer counts it as ours
  evicted_tenant,  // another tenant needed the room
  closed,          // the pool is closing
};

inline constexpr std::size_t kDiscardReasons = 17;

constexpr std::string_view name(DiscardReason reason) {
  constexpr std::array<std::string_view, kDiscardReasons> names = {
      "insufficient_remaining_lifetime",
      "expired_on_checkout",
      "expired_on_return",
      "expired_on_scan",
      "expiring_soon_on_scan",
      "reservoir_full",
      "replaced",
      "idle",
      "broken",
      "reset_failed",
      "check_failed",
      "hook_failed",
      "shrunk",
      "discarded",
      "lease_lost",
      "evicted_tenant",
      "closed"};
  return names[static_cast<std::size_t>(reason)];
}

}  // namespace forebay
