// Proxy: lets clients in at its addresses and serves them on its routes.
//
// Confined to the loop of its streams, but for the constructor.
#pragma once

#include <memory>

#include "forebay/env/entrance.hpp"
#include "forebay/proxy/client_flow.hpp"

namespace forebay::proxy {

class Proxy {
 public:
  // The secret chance is for cancel keys: nobody may guess it.
  Proxy(Env env, StreamNetwork& network, Random& secret, Duration log_in_limit);
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  ~Proxy();  // REQUIRES: close() has ended

  Routes& routes() { return routes_; }

  // From now on clients can call there. Errors are those of StreamNetwork::listen().
  Result<StreamAddress> listen(const StreamAddress& at);
  // Nobody is let in any more. Clients without a server are sent away, the others when they are
  // done; at the deadline all that are left. Then the pools close, as long as they need.
  Task<void> close(Instant deadline);

  ProxyStatistics statistics() const;

 private:
  Task<void> serve(std::unique_ptr<ByteStream> stream);

  Env env_;
  Routes routes_;
  CancelBook cancels_;
  ProxyCounters counters_;
  const ClientSurroundings around_;
  IntrusiveList<ClientFlow, &ClientFlow::link> clients_;
  Entrance entrance_;
};

}  // namespace forebay::proxy
