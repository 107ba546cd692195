// SocketListener: a StreamListener on a TCP port or a Unix socket. Not installed: it knows Asio.
//
// The file of a Unix socket never has more rights than asked for, not even for a moment. One that
// nobody listens on any more is replaced; one that somebody listens on is not. It is removed with
// the listener, unless it is another one by then.
#pragma once

#include <memory>

#include "forebay/env/real/socket_network.hpp"

namespace forebay::real {

// Errors: as StreamNetwork::listen.
Result<std::unique_ptr<StreamListener>> listen_on_socket(SocketNetwork& network,
                                                         const StreamAddress& at);

}  // namespace forebay::real
