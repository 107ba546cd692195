#include "forebay/wire/auth/server_authentication.hpp"

#include <span>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/wire/auth/scram_message.hpp"
#include "forebay/wire/protocol/authentication_request.hpp"
#include "forebay/wire/protocol/client_messages.hpp"

namespace forebay::wire {
namespace {

constexpr const char* kWrongPassword = "28P01";

}  // namespace

ServerAuthentication::ServerAuthentication(ServerAuthenticationOptions options)
    : options_(std::move(options)) {
  const bool has_verifier = options_.secret.kind() == StoredSecret::Kind::scram;
  if (options_.method == AuthenticationMethod::md5 && has_verifier)
    options_.method = AuthenticationMethod::scram;
}

ServerAuthentication::Step ServerAuthentication::begin(std::string& out) {
  FOREBAY_CHECK(!is_waiting_ && !scram_);
  is_waiting_ = true;
  switch (options_.method) {
    case AuthenticationMethod::trust: return accept(out);
    case AuthenticationMethod::cleartext:
      write_authentication(out, AuthenticationKind::cleartext);
      return Step::waiting;
    case AuthenticationMethod::md5: {
      const std::string_view salt(options_.md5_salt.data(), options_.md5_salt.size());
      write_authentication(out, AuthenticationKind::md5, salt);
      return Step::waiting;
    }
    case AuthenticationMethod::scram: break;
  }
  // A secret of another form has no verifier: nobody gets in with it, and nobody is told why.
  const bool has_verifier = options_.secret.kind() == StoredSecret::Kind::scram;
  ScramServerOptions scram(has_verifier ? options_.secret.verifier()
                                        : ScramVerifier::mock(options_.user, options_.mock_key),
                           options_.nonce);
  scram.is_mock = !has_verifier || options_.secret.is_mock();
  scram.channel_binding = options_.channel_binding;
  scram_.emplace(std::move(scram));
  constexpr std::array<std::string_view, 2> kMechanisms{kScramPlus, kScram};
  const std::size_t first = options_.channel_binding.empty() ? 1 : 0;
  write_authentication_sasl(out, std::span(kMechanisms).subspan(first));
  return Step::waiting;
}

ServerAuthentication::Step ServerAuthentication::receive(std::string_view body, std::string& out) {
  FOREBAY_CHECK(is_waiting_);
  if (!scram_) return take_password(body, out);
  return is_challenged_ ? take_scram_final(body, out) : take_scram_first(body, out);
}

std::optional<SaltedKeys> ServerAuthentication::client_keys() const {
  return scram_ ? scram_->client_keys() : std::nullopt;
}

ServerAuthentication::Step ServerAuthentication::take_password(std::string_view body,
                                                               std::string& out) {
  const Result<std::string_view> given = parse_password(body);
  if (!given) return refuse(out, given.error());
  // PostgreSQL does so, too: many directories let everybody in who has an empty password.
  if (given->empty()) return refuse(out, "the password is empty");
  const StoredSecret& secret = options_.secret;
  const bool is_md5 = options_.method == AuthenticationMethod::md5;
  const std::string_view salt(options_.md5_salt.data(), options_.md5_salt.size());
  const bool is_right = is_md5 ? secret.is_answered_by(*given, options_.user, salt)
                               : secret.is_of(*given, options_.user);
  if (is_right) return accept(out);
  return refuse(out, secret.is_mock() ? "there is no such user" : "the password is wrong");
}

ServerAuthentication::Step ServerAuthentication::take_scram_first(std::string_view body,
                                                                  std::string& out) {
  const Result<SaslInitialView> first = parse_sasl_initial(body);
  if (!first) return refuse(out, first.error());
  const Result<std::string> challenge =
      scram_->receive_first(first->mechanism, first->data.value_or(""));
  if (!challenge) return refuse(out, challenge.error());
  write_authentication(out, AuthenticationKind::sasl_continue, *challenge);
  is_challenged_ = true;
  return Step::waiting;
}

ServerAuthentication::Step ServerAuthentication::take_scram_final(std::string_view body,
                                                                  std::string& out) {
  const Result<std::string> outcome = scram_->receive_final(body);
  if (outcome) {
    write_authentication(out, AuthenticationKind::sasl_final, *outcome);
    return accept(out);
  }
  if (outcome.error().code() != Errc::refused) return refuse(out, outcome.error());
  if (options_.secret.is_mock()) return refuse(out, "there is no such user");
  const bool has_verifier = options_.secret.kind() == StoredSecret::Kind::scram;
  return refuse(out, has_verifier ? "the password is wrong" : "its secret is no SCRAM verifier");
}

ServerAuthentication::Step ServerAuthentication::accept(std::string& out) {
  is_waiting_ = false;
  write_authentication(out, AuthenticationKind::ok);
  return Step::accepted;
}

ServerAuthentication::Step ServerAuthentication::refuse(std::string& out, std::string reason) {
  is_waiting_ = false;
  reason_ = std::move(reason);
  write_error(out, {Severity::fatal, kWrongPassword,
                    fmt::format("password authentication failed for user \"{}\"", options_.user)});
  return Step::refused;
}

ServerAuthentication::Step ServerAuthentication::refuse(std::string& out, const Error& error) {
  is_waiting_ = false;
  reason_ = error.text();
  write_error(out, report_of(error, Severity::fatal));
  return Step::refused;
}

}  // namespace forebay::wire
