// ServerAuthentication: how a server finds out whether a client is who it says.
//
//   method     state      the client sends       the server answers              then
//   trust      start      –                      Ok                              accepted
//   cleartext  start      –                      CleartextPassword               waiting
//   cleartext  waiting    PasswordMessage        Ok, or an error                 the end
//   md5        start      –                      MD5Password                     waiting
//   md5        waiting    PasswordMessage        Ok, or an error                 the end
//   scram      start      –                      SASL                            waiting
//   scram      waiting    SASLInitialResponse    SASLContinue, or an error       waiting
//   scram      waiting    SASLResponse           SASLFinal and Ok, or an error   the end
//
// A user who does not exist has StoredSecret::mock(), and goes through all of it. The words are
// the same as with a wrong password. Pure: salts and nonces are arguments.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/error.hpp"
#include "forebay/wire/auth/scram_server.hpp"
#include "forebay/wire/auth/stored_secret.hpp"
#include "forebay/wire/protocol/error_fields.hpp"

namespace forebay::wire {

enum class AuthenticationMethod : std::uint8_t { trust, cleartext, md5, scram };

struct ServerAuthenticationOptions {
  ServerAuthenticationOptions(AuthenticationMethod how, std::string name, StoredSecret known)
      : method(how), user(std::move(name)), secret(std::move(known)) {}

  AuthenticationMethod method;
  std::string user;  // of the start-up packet
  StoredSecret secret;
  std::array<char, 4> md5_salt{};  // by chance, for each session
  std::string nonce;               // by chance, for each session; needed for SCRAM
  std::string channel_binding;     // see ScramServerOptions
  // As for StoredSecret::mock(). A secret that cannot be used with SCRAM gets a mock verifier.
  std::string mock_key;
};

class ServerAuthentication {
 public:
  enum class Step : std::uint8_t {
    waiting,   // for the client's next 'p'
    accepted,  // Ok is in the buffer; parameters and ReadyForQuery are the caller's
    refused,   // the error is in the buffer; then hang up
  };

  explicit ServerAuthentication(ServerAuthenticationOptions options);

  // The method in use. A client whose secret is a SCRAM verifier is asked for SCRAM where the
  // method says MD5, as PostgreSQL does it.
  AuthenticationMethod method() const { return options_.method; }

  // Adds the first request to the buffer.
  Step begin(std::string& out);
  // The body of a 'p'. REQUIRES: the last step was waiting.
  Step receive(std::string_view body, std::string& out);

  // Why it was refused, for the log. The client hears less.
  const std::string& reason() const { return reason_; }
  // After SCRAM: what the client has shown of its secret (see ScramServer).
  std::optional<SaltedKeys> client_keys() const;

 private:
  Step accept(std::string& out);
  Step refuse(std::string& out, std::string reason);
  Step refuse(std::string& out, const Error& error);
  Step take_password(std::string_view body, std::string& out);
  Step take_scram_first(std::string_view body, std::string& out);
  Step take_scram_final(std::string_view body, std::string& out);

  ServerAuthenticationOptions options_;
  bool is_waiting_ = false;
  bool is_challenged_ = false;
  std::optional<ScramServer> scram_;
  std::string reason_;
};

}  // namespace forebay::wire
