// ClientAuthentication: what a client answers to a server that wants to know who it is.
//
//   state      the server sends      the client answers             then
//   start      Ok                    nothing                        accepted
//   start      CleartextPassword     PasswordMessage                answered
//   start      MD5Password           PasswordMessage                answered
//   start      SASL                  SASLInitialResponse            scram
//   scram      SASLContinue          SASLResponse                   scram
//   scram      SASLFinal             nothing                        answered, if its proof is right
//   answered   Ok                    nothing                        accepted
//
// Everything else ends it, an Ok in the state scram above all: it would come from a server that
// has not shown that it knows the password. Pure: the nonce is an argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/wire/auth/scram_client.hpp"
#include "forebay/wire/protocol/authentication_request.hpp"

namespace forebay::wire {

// What a client lets itself be asked for, as require_auth of libpq. A server that asks for less
// protection than it used to may be another one.
struct AllowedMethods {
  bool trust = true;
  bool cleartext = true;
  bool md5 = true;
  bool scram = true;
};

struct ClientCredentials {
  ClientCredentials(std::string name, ScramClientOptions secret)
      : user(std::move(name)), scram(std::move(secret)) {}

  std::string user;
  ScramClientOptions scram;  // its password serves the other methods, too
  AllowedMethods allowed;
};

class ClientAuthentication {
 public:
  enum class Step : std::uint8_t {
    answered,  // an answer is in the buffer
    waiting,   // nothing to say; the server goes on
    accepted,  // the session begins
  };

  explicit ClientAuthentication(ClientCredentials credentials);

  // The body of an Authentication message. Answers are added to the buffer. Errors: refused,
  // because we will not or cannot; invalid, because the server breaks the rules.
  Result<Step> receive(std::string_view body, std::string& out);

  // For the next session with this server: they spare it a millisecond.
  const std::optional<SaltedKeys>& derived_keys() const { return scram_.derived(); }

 private:
  enum class State : std::uint8_t { start, scram, answered, accepted, failed };

  Result<Step> take(const AuthenticationView& request, std::string& out);
  Result<Step> accept();
  Result<Step> send_password(std::string& out);
  Result<Step> send_md5(std::string_view salt, std::string& out);
  Result<Step> begin_scram(const TextList& mechanisms, std::string& out);
  Result<Step> go_on(std::string_view challenge, std::string& out);
  Result<Step> end_scram(std::string_view outcome);

  const ClientCredentials credentials_;
  State state_ = State::start;
  ScramClient scram_;
};

}  // namespace forebay::wire
