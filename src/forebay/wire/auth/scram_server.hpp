// ScramServer: the server's side of one SCRAM-SHA-256 exchange.
//
//   receive_first(client-first) → server-first
//   receive_final(client-final) → server-final, or refused
//
// The one who logs in is named by the start-up packet; the name inside SCRAM is not looked at, as
// in PostgreSQL. A user who does not exist has ScramVerifier::mock(): the exchange takes the same
// steps with the same work, and is refused at its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/wire/auth/scram_client.hpp"
#include "forebay/wire/auth/scram_secret.hpp"

namespace forebay::wire {

struct ScramServerOptions {
  ScramServerOptions(ScramVerifier stored, std::string secret_nonce)
      : verifier(std::move(stored)), nonce(std::move(secret_nonce)) {}

  ScramVerifier verifier;
  bool is_mock = false;  // refused, whatever comes
  std::string nonce;     // that nobody can foresee
  // The hash of our certificate (tls-server-end-point). Empty: binding is not offered.
  std::string channel_binding;
};

class ScramServer {
 public:
  explicit ScramServer(ScramServerOptions options);

  // The mechanism is what the client chose.
  Result<std::string> receive_first(std::string_view mechanism, std::string_view client_first);
  // Errc::refused: it does not know the password. Other errors: it does not speak SCRAM.
  Result<std::string> receive_final(std::string_view client_final);

  // What the client has shown by its proof: with it, one can log in wherever the same verifier is
  // stored. Nothing unless receive_final() succeeded.
  const std::optional<SaltedKeys>& client_keys() const { return client_keys_; }

 private:
  enum class State : std::uint8_t { start, challenged, proven, failed };

  Result<void> check_binding(std::string_view mechanism, std::string_view flag) const;

  const ScramServerOptions options_;
  State state_ = State::start;
  std::string gs2_header_;
  std::string all_nonce_;
  std::string messages_;  // client-first without its header, and server-first
  std::optional<SaltedKeys> client_keys_;
};

}  // namespace forebay::wire
