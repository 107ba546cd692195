// ProxyOptions: what a proxy can be told, beside its routes.
#pragma once

#include <chrono>

#include "forebay/env/time.hpp"

namespace forebay::proxy {

// What nobody waits for longer than. Each may be Duration::max(), never.
struct ClientLimits {
  ClientLimits() = default;
  Duration log_in = std::chrono::seconds(60);       // from the first byte to the welcome
  Duration query_wait = std::chrono::seconds(10);   // for a server
  Duration query = Duration::max();                 // for the answer to what was sent up to a Sync
  Duration idle_in_transaction = Duration::max();   // for a client that is silent in one
  Duration client_write = std::chrono::minutes(5);  // for a client that does not read
  Duration cancel = std::chrono::seconds(10);       // for a server to take a cancel
};

}  // namespace forebay::proxy
