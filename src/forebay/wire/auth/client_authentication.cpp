#include "forebay/wire/auth/client_authentication.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/wire/auth/scram_message.hpp"
#include "forebay/wire/auth/stored_secret.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/violation.hpp"

namespace forebay::wire {
namespace {

std::unexpected<Error> not_allowed(std::string_view method) {
  return failure(Errc::refused,
                 fmt::format("the server asks for {}, which is not allowed here", method));
}

std::unexpected<Error> no_password() {
  return failure(Errc::refused, "the server asks for a password, and there is none");
}

bool has_zero(std::string_view text) { return text.find('\0') != std::string_view::npos; }

}  // namespace

ClientAuthentication::ClientAuthentication(ClientCredentials credentials)
    : credentials_(std::move(credentials)), scram_(credentials_.scram) {}

Result<ClientAuthentication::Step> ClientAuthentication::receive(std::string_view body,
                                                                 std::string& out) {
  const Result<AuthenticationView> request = parse_authentication(body);
  Result<Step> step = request ? take(*request, out) : Result<Step>(failure(request.error()));
  if (!step) state_ = State::failed;
  return step;
}

Result<ClientAuthentication::Step> ClientAuthentication::take(const AuthenticationView& request,
                                                              std::string& out) {
  const bool is_start = state_ == State::start;
  switch (request.kind) {
    case AuthenticationKind::ok: return accept();
    case AuthenticationKind::cleartext:
      if (is_start) return send_password(out);
      break;
    case AuthenticationKind::md5:
      if (is_start) return send_md5(request.data, out);
      break;
    case AuthenticationKind::sasl:
      if (is_start) return begin_scram(request.mechanisms, out);
      break;
    case AuthenticationKind::sasl_continue:
      if (state_ == State::scram) return go_on(request.data, out);
      break;
    case AuthenticationKind::sasl_final:
      if (state_ == State::scram) return end_scram(request.data);
      break;
    default:
      return failure(Errc::refused,
                     fmt::format("the server asks for authentication of type {}, which is not "
                                 "supported: password, MD5 and SCRAM-SHA-256 are",
                                 static_cast<std::uint32_t>(request.kind)));
  }
  return failure(violation("an Authentication message out of turn"));
}

Result<ClientAuthentication::Step> ClientAuthentication::accept() {
  if (state_ == State::start && !credentials_.allowed.trust)
    return not_allowed("no authentication at all");
  if (state_ != State::start && state_ != State::answered) {
    return failure(
        violation("the server ends authentication before it has shown that it knows the password"));
  }
  state_ = State::accepted;
  return Step::accepted;
}

Result<ClientAuthentication::Step> ClientAuthentication::send_password(std::string& out) {
  const std::string& password = credentials_.scram.password;
  if (!credentials_.allowed.cleartext) return not_allowed("the password in clear text");
  if (password.empty()) return no_password();
  if (has_zero(password)) return failure(Errc::refused, "a password has no zero bytes");
  write_password(out, password);
  state_ = State::answered;
  return Step::answered;
}

Result<ClientAuthentication::Step> ClientAuthentication::send_md5(std::string_view salt,
                                                                  std::string& out) {
  if (!credentials_.allowed.md5) return not_allowed("an MD5 hash of the password");
  if (credentials_.scram.password.empty()) return no_password();
  const Result<std::string> secret = md5_secret(credentials_.scram.password, credentials_.user);
  if (!secret) return failure(secret.error());
  const Result<std::string> answer = md5_answer(*secret, salt);
  if (!answer) return failure(answer.error());
  write_password(out, *answer);
  state_ = State::answered;
  return Step::answered;
}

Result<ClientAuthentication::Step> ClientAuthentication::begin_scram(const TextList& mechanisms,
                                                                     std::string& out) {
  if (!credentials_.allowed.scram) return not_allowed("SCRAM-SHA-256");
  const std::string_view wanted = scram_.mechanism();
  if (std::find(mechanisms.begin(), mechanisms.end(), wanted) == mechanisms.end()) {
    std::string offered;
    for (const std::string_view mechanism : mechanisms)
      offered += (offered.empty() ? "" : ", ") + std::string(mechanism);
    return failure(Errc::refused,
                   fmt::format("the server does not offer {}, but {}", wanted, offered));
  }
  write_sasl_initial(out, wanted, scram_.first());
  state_ = State::scram;
  return Step::answered;
}

Result<ClientAuthentication::Step> ClientAuthentication::go_on(std::string_view challenge,
                                                               std::string& out) {
  const Result<std::string> answer = scram_.receive_challenge(challenge);
  if (!answer) return failure(answer.error());
  write_sasl_response(out, *answer);
  return Step::answered;
}

Result<ClientAuthentication::Step> ClientAuthentication::end_scram(std::string_view outcome) {
  const Result<void> proven = scram_.receive_outcome(outcome);
  if (!proven) return failure(proven.error());
  state_ = State::answered;
  return Step::waiting;
}

}  // namespace forebay::wire
