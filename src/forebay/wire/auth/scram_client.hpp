// ScramClient: the client's side of one SCRAM-SHA-256 exchange.
//
//   first()                        → client-first
//   receive_challenge(server-first) → client-final
//   receive_outcome(server-final)     the server has shown that it knows the password, too
//
// Pure: the nonce is an argument, and must be one that nobody can foresee (18 random bytes in
// base64, say).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/error.hpp"
#include "forebay/wire/auth/scram_secret.hpp"

namespace forebay::wire {

// Keys, and the salt and iterations that they were made with.
struct SaltedKeys {
  SaltedKeys(ScramKeys derived, std::string salt_bytes, int rounds)
      : keys(derived), salt(std::move(salt_bytes)), iterations(rounds) {}
  ScramKeys keys;
  std::string salt;
  int iterations;
};

struct ScramClientOptions {
  explicit ScramClientOptions(std::string secret_nonce) : nonce(std::move(secret_nonce)) {}

  std::string nonce;
  std::string user;      // PostgreSQL goes by the start-up packet, and expects nothing here
  std::string password;  // empty: there are only the known keys
  // Of an earlier exchange (derived()), or of a client that logged in to us with the same verifier.
  // They spare the derivation if the server comes with the same salt.
  std::optional<SaltedKeys> known;
  // The hash of the server's certificate (tls-server-end-point). Empty: the exchange is not bound.
  std::string channel_binding;
  // The stream has TLS, but the server offered no binding: it will notice if somebody took its
  // offer away.
  bool could_bind = false;
};

class ScramClient {
 public:
  explicit ScramClient(ScramClientOptions options);

  std::string_view mechanism() const;
  std::string first();
  Result<std::string> receive_challenge(std::string_view server_first);
  Result<void> receive_outcome(std::string_view server_final);
  bool is_proven() const { return state_ == State::proven; }

  // For the next exchange with this server; nothing before the challenge.
  const std::optional<SaltedKeys>& derived() const { return derived_; }

 private:
  enum class State : std::uint8_t { start, sent_first, sent_final, proven, failed };

  std::string gs2_header() const;
  Result<ScramKeys> keys_for(std::string salt, int iterations);

  const ScramClientOptions options_;
  State state_ = State::start;
  std::string first_bare_;
  std::string auth_message_;
  std::optional<SaltedKeys> derived_;
};

}  // namespace forebay::wire
