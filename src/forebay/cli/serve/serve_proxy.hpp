// ServeProxy: a proxy with its route and its cluster, opened and closed in the right order from a
// thread of the application.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/cli/serve/serve_options.hpp"
#include "forebay/cli/serve/serve_view.hpp"
#include "forebay/cluster.hpp"
#include "forebay/config/configuration.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/tls.hpp"
#include "forebay/proxy/proxy.hpp"

namespace forebay::cli {

class ServeProxy {
 public:
  // Comes back when clients can call. Errc::invalid says everything that is wrong with the
  // configuration, one line each; nothing listens then.
  static Result<std::unique_ptr<ServeProxy>> open(Runtime& runtime, const Configuration& given,
                                                  const ServeOptions& options);
  ServeProxy(const ServeProxy&) = delete;
  ServeProxy& operator=(const ServeProxy&) = delete;
  ~ServeProxy();

  Pool& pool() { return proxy_.routes().all().front()->pool(); }
  ServeSample look(Instant begun);
  void close();

  const std::string& place() const { return place_; }  // which server, without who and how
  std::string listen_text() const;
  std::string client_url() const;  // for a client on this machine
  std::uint16_t port() const;      // the first one that is no Unix socket; 0: there is none

 private:
  ServeProxy(Runtime& runtime, const ServeOptions& options);
  Result<void> start(const Configuration& configuration, const ServeOptions& options);
  Task<Result<void>> listen(const std::vector<StreamAddress>& places);
  Task<ServeSample> look_here(Instant begun);

  Runtime& runtime_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<TlsClient> tls_;
  proxy::Proxy proxy_;
  std::vector<StreamAddress> listening_;
  std::string place_;
  std::string user_;
  std::string database_;
  bool is_closed_ = false;
};

}  // namespace forebay::cli
