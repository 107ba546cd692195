// LinkEnv: what links ask of the world. All of it outlives them.
#pragma once

#include "forebay/env/random.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/env/stream_network.hpp"
#include "forebay/env/tls.hpp"

namespace forebay::proxy {

struct LinkEnv {
  // Secrets: numbers that nobody can guess. Without TLS, a target that requires it is refused.
  LinkEnv(Scheduler& loop, StreamNetwork& streams, Random& secrets, TlsClient* tls_client = nullptr)
      : scheduler(loop), network(streams), secure_random(secrets), tls(tls_client) {}

  Scheduler& scheduler;
  StreamNetwork& network;
  Random& secure_random;
  TlsClient* tls;
};

}  // namespace forebay::proxy
