// StoredSecret: what is known of a user's password, in the forms that PostgreSQL and poolers store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "forebay/base/error.hpp"
#include "forebay/wire/auth/scram_secret.hpp"

namespace forebay::wire {

// What PostgreSQL stores and sends for MD5: "md5" and 32 digits. An error: OpenSSL forbids MD5.
Result<std::string> md5_secret(std::string_view password, std::string_view user);
Result<std::string> md5_answer(std::string_view secret, std::string_view salt);

class StoredSecret {
 public:
  enum class Kind : std::uint8_t { plain, md5, scram };

  // As in pg_authid.rolpassword: "SCRAM-SHA-256$…", "md5…", or else the password itself.
  static StoredSecret parse(std::string_view text);
  // Of a user who does not exist: looks like those of this kind, and is never right. The key is a
  // secret of this installation, the same for as long as its users are.
  static StoredSecret mock(Kind kind, std::string_view user, std::string_view key);

  Kind kind() const { return static_cast<Kind>(secret_.index()); }
  bool is_mock() const { return is_mock_; }
  const ScramVerifier& verifier() const { return std::get<ScramVerifier>(secret_); }

  // Takes a millisecond for Kind::scram. Compares in constant time.
  bool is_of(std::string_view password, std::string_view user) const;
  // Whether this is the answer to MD5's salt. REQUIRES: not Kind::scram.
  bool is_answered_by(std::string_view answer, std::string_view user, std::string_view salt) const;

 private:
  struct Plain {
    std::string password;
  };
  struct Md5 {
    std::string secret;
  };
  using Secret = std::variant<Plain, Md5, ScramVerifier>;  // in the order of Kind
  explicit StoredSecret(Secret secret) : secret_(std::move(secret)) {}

  Secret secret_;
  bool is_mock_ = false;
};

}  // namespace forebay::wire
