// A TLS client and a TLS server over one simulated wire, with certificates of the test's own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/real/openssl_tls.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_stream.hpp"
#include "support/certificates.hpp"
#include "support/stream_tasks.hpp"

namespace forebay::test {

inline CertificateAuthority& authority() {
  static CertificateAuthority one("Test CA");
  return one;
}

inline TlsServerOptions server_options(const CertificateWish& wish = {}) {
  const CertificateFiles files = authority().issue(wish);
  TlsServerOptions options;
  options.certificate_file = files.certificate;
  options.key_file = files.key;
  return options;
}

inline TlsClientOptions client_options() {
  TlsClientOptions options;
  options.ca_file = authority().ca_file();
  return options;
}

// A client and a server over one simulated wire.
class TlsPair {
 public:
  explicit TlsPair(const sim::SimStreamOptions& options = {}, std::uint64_t seed = 1)
      : random_(seed), wire(std::make_shared<sim::SimWire>(options, random_)) {
    auto ends = sim::make_sim_streams(wire, scheduler, scheduler);
    clear_client = std::move(ends.first);
    clear_server = std::move(ends.second);
  }

  // Until nothing is left to do.
  void shake_hands(const TlsServerOptions& for_server, const TlsClientOptions& for_client,
                   const std::string& name = "localhost") {
    Result<std::unique_ptr<TlsServer>> made_server = real::make_tls_server(for_server);
    Result<std::unique_ptr<TlsClient>> made_client = real::make_tls_client(for_client);
    ASSERT_TRUE(made_server.has_value()) << made_server.error().text();
    ASSERT_TRUE(made_client.has_value()) << made_client.error().text();
    start_detached(scheduler,
                   keep_result((*made_server)
                                   ->accept(std::move(clear_server), TlsOpening::negotiated,
                                            ConstBytes(), deadline),
                               server));
    start_detached(
        scheduler,
        keep_result((*made_client)->connect(std::move(clear_client), name, ConstBytes(), deadline),
                    client));
    scheduler.run();
    ASSERT_TRUE(server.has_value() && client.has_value());
  }
  template <class T>
  std::optional<T> run(Task<T> task) {
    std::optional<T> result;
    start_detached(scheduler, keep_result(std::move(task), result));
    scheduler.run();
    return result;
  }

  sim::SimScheduler scheduler;
  const Instant deadline = Instant(std::chrono::minutes(1));

 private:
  SeededRandom random_;

 public:
  std::shared_ptr<sim::SimWire> wire;
  std::unique_ptr<ByteStream> clear_client, clear_server;
  std::optional<Result<std::unique_ptr<ByteStream>>> client, server;
};

}  // namespace forebay::test
