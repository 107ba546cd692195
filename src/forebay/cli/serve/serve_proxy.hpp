// ServeProxy: a proxy with its routes and what they share, opened and closed in the right order
// from a thread of the application.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/cli/serve/planned_route.hpp"
#include "forebay/cli/serve/serve_view.hpp"
#include "forebay/cli/serve/shared_servers.hpp"
#include "forebay/config/proxy_configuration.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/proxy/proxy.hpp"

namespace forebay::cli {

class ServeProxy {
 public:
  // Comes back when clients can call. Errc::invalid says everything that is wrong with the
  // configuration, one line each; nothing listens then.
  static Result<std::unique_ptr<ServeProxy>> open(Runtime& runtime,
                                                  const ProxyConfiguration& configuration);
  ServeProxy(const ServeProxy&) = delete;
  ServeProxy& operator=(const ServeProxy&) = delete;
  ~ServeProxy();

  proxy::Proxy& proxy() { return proxy_; }
  std::vector<Cluster*> clusters() const { return servers_.clusters(); }
  ServeSample look(Instant begun);
  void close();  // clients and pools; what they shared ends with this object

  std::string place() const;  // which servers, without who and how
  std::string listen_text() const;
  std::string client_url() const;  // for a client of the first route on this machine
  std::uint16_t port() const;      // the first one that is no Unix socket; 0: there is none

 private:
  ServeProxy(Runtime& runtime, const ProxyConfiguration& configuration);
  Result<void> start(const ProxyConfiguration& configuration);
  Result<void> add_route(PlannedRoute& route);
  Task<Result<void>> fill_pools();
  Task<Result<void>> listen(const std::vector<StreamAddress>& places);
  Task<ServeSample> look_here(Instant begun);

  Runtime& runtime_;
  SharedServers servers_;             // outlive the pools
  std::vector<PlannedRoute> routes_;  // their parts outlive the proxy
  proxy::Proxy proxy_;
  std::vector<StreamAddress> listening_;
  bool is_closed_ = false;
};

}  // namespace forebay::cli
