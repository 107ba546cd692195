// SocketNetwork: real streams of one loop, over TCP and Unix sockets.
#pragma once

#include <memory>

#include "forebay/env/name_resolver.hpp"
#include "forebay/env/real/socket_address.hpp"
#include "forebay/env/real/socket_watch.hpp"
#include "forebay/env/stream_network.hpp"

namespace forebay::real {

class SocketNetwork final : public StreamNetwork {
 public:
  // Without names, only IP addresses can be called.
  SocketNetwork(LoopScheduler& scheduler, NameResolver* names)
      : scheduler_(scheduler), names_(names) {}

  Task<Result<std::unique_ptr<ByteStream>>> connect(StreamAddress to, Until until) override;
  Result<std::unique_ptr<StreamListener>> listen(const StreamAddress& at) override;

  Scheduler& scheduler() const { return scheduler_; }
  // Both take the socket, whatever comes of it.
  Result<std::shared_ptr<SocketWatch>> watch(int socket) {
    return SocketWatch::make(scheduler_, socket);
  }
  Result<std::unique_ptr<ByteStream>> make_stream(int socket, StreamPeer peer);

 private:
  Task<Result<std::vector<SocketAddress>>> find(const StreamAddress& to, Until until);
  // To one of the addresses of a host.
  Task<Result<std::unique_ptr<ByteStream>>> call(SocketAddress address, const StreamAddress& to,
                                                 Until until);

  LoopScheduler& scheduler_;
  NameResolver* const names_;
};

}  // namespace forebay::real
