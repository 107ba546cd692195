// What the two sides of SCRAM-SHA-256 know: keys made of a password (RFC 5802, RFC 7677).
//
// Passwords are taken byte by byte. PostgreSQL first brings those beyond ASCII into normal form
// (SASLprep); a password that is not in it already is not recognised here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/wire/auth/hashes.hpp"

namespace forebay::wire {

inline constexpr int kScramIterations = 4'096;  // PostgreSQL's default
// More than this would keep a loop busy for seconds, at the word of the other end.
inline constexpr int kMostScramIterations = 1'000'000;

// What a client needs in the place of a password. As good as the password itself: a secret.
struct ScramKeys {
  ScramKeys(const ScramKey& client, const ScramKey& server)
      : client_key(client), server_key(server) {}
  // Costs what salted_password() costs.
  static ScramKeys of(std::string_view password, std::string_view salt, int iterations);

  ScramKey stored_key() const { return sha256(digest_bytes(client_key)); }

  ScramKey client_key;
  ScramKey server_key;
};

// What a server stores, "SCRAM-SHA-256$4096:salt$StoredKey:ServerKey": enough to recognise a
// client, not enough to be one.
struct ScramVerifier {
  ScramVerifier(int rounds, std::string salt_bytes, const ScramKey& stored, const ScramKey& server)
      : iterations(rounds), salt(std::move(salt_bytes)), stored_key(stored), server_key(server) {}
  static ScramVerifier of(std::string_view password, std::string salt,
                          int iterations = kScramIterations);
  // Nothing: it is no such text.
  static std::optional<ScramVerifier> parse(std::string_view text);
  // One that nobody has the password of, for users who do not exist. The same user has the same
  // salt each time, as a real one would; who does not know the key cannot tell it from a real one.
  static ScramVerifier mock(std::string_view user, std::string_view key,
                            int iterations = kScramIterations);

  std::string text() const;
  // Costs what salted_password() costs.
  bool is_of(std::string_view password) const;

  int iterations;
  std::string salt;  // bytes
  ScramKey stored_key;
  ScramKey server_key;
};

}  // namespace forebay::wire
