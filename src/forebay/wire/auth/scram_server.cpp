#include "forebay/wire/auth/scram_server.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/wire/auth/base64.hpp"
#include "forebay/wire/auth/scram_message.hpp"
#include "forebay/wire/protocol/violation.hpp"

namespace forebay::wire {

ScramServer::ScramServer(ScramServerOptions options) : options_(std::move(options)) {
  FOREBAY_CHECK(is_nonce(options_.nonce), "a nonce is printable and has no comma");
}

Result<void> ScramServer::check_binding(std::string_view mechanism, std::string_view flag) const {
  const bool is_offered = !options_.channel_binding.empty();
  const bool is_plus = mechanism == kScramPlus;
  if (mechanism != kScram && !(is_plus && is_offered))
    return failure(malformed_scram("the client chose a mechanism that was not offered"));
  if (is_plus) {
    if (flag == fmt::format("p={}", kChannelBinding)) return {};
    return failure(malformed_scram("the client binds to no channel, or to one of another type"));
  }
  if (flag == "n") return {};
  if (flag != "y") return failure(malformed_scram("the flag of channel binding is none"));
  // Somebody between us took our offer away.
  if (is_offered) {
    return failure(
        violation("SCRAM channel binding negotiation error: the client believes that "
                  "binding was not offered",
                  "28000"));
  }
  return {};
}

Result<std::string> ScramServer::receive_first(std::string_view mechanism,
                                               std::string_view client_first) {
  const State before = std::exchange(state_, State::failed);
  if (before != State::start) return failure(malformed_scram("a first message out of turn"));
  ScramAttributes attributes(client_first);
  const std::string_view flag = attributes.take_any().value_or("");
  if (Result<void> binding = check_binding(mechanism, flag); !binding)
    return failure(std::move(binding).error());
  const std::optional<std::string_view> identity = attributes.take_any();
  if (!identity || !identity->empty()) {
    return failure(
        violation("the client uses an authorization identity, which is not supported", "0A000"));
  }
  const std::string_view bare = attributes.rest();
  gs2_header_ = client_first.substr(0, client_first.size() - bare.size());

  if (bare.starts_with("m="))
    return failure(violation("the client requires an unsupported SCRAM extension", "0A000"));
  const auto user = attributes.take('n');
  const auto nonce = attributes.take('r');
  if (!user || !nonce || !is_nonce(*nonce))
    return failure(malformed_scram("n and r are not both there"));

  all_nonce_ = fmt::format("{}{}", *nonce, options_.nonce);
  std::string answer = fmt::format("r={},s={},i={}", all_nonce_, base64_of(options_.verifier.salt),
                                   options_.verifier.iterations);
  messages_ = fmt::format("{},{}", bare, answer);
  state_ = State::challenged;
  return answer;
}

Result<std::string> ScramServer::receive_final(std::string_view client_final) {
  const State before = std::exchange(state_, State::failed);
  if (before != State::challenged) return failure(malformed_scram("a final message out of turn"));
  const std::size_t proof_at = client_final.rfind(",p=");
  if (proof_at == std::string_view::npos) return failure(malformed_scram("the proof is missing"));
  const std::string_view without_proof = client_final.substr(0, proof_at);
  const std::optional<std::string> proof = bytes_of_base64(client_final.substr(proof_at + 3));
  ScramAttributes attributes(without_proof);
  const auto binding = attributes.take('c');
  const auto nonce = attributes.take('r');
  ScramKey masked;
  if (!binding || !nonce || !proof || proof->size() != masked.size())
    return failure(malformed_scram("c, r and p are not all there"));
  if (*nonce != all_nonce_) return failure(malformed_scram("the nonce is another one"));
  const bool is_bound = gs2_header_.starts_with('p');
  const std::string expected = gs2_header_ + (is_bound ? options_.channel_binding : "");
  if (!equal_in_constant_time(*binding, base64_of(expected))) {
    return failure(violation(is_bound ? "SCRAM channel binding check failed"
                                      : "unexpected SCRAM channel-binding attribute",
                             is_bound ? "28000" : kProtocolViolation));
  }

  const ScramVerifier& verifier = options_.verifier;
  const std::string auth_message = fmt::format("{},{}", messages_, without_proof);
  std::copy(proof->begin(), proof->end(), masked.begin());
  const ScramKey client_key =
      exclusive_or(masked, hmac_sha256(digest_bytes(verifier.stored_key), auth_message));
  const ScramKey signature = hmac_sha256(digest_bytes(verifier.server_key), auth_message);
  const bool is_right = equal_in_constant_time(digest_bytes(sha256(digest_bytes(client_key))),
                                               digest_bytes(verifier.stored_key));
  if (!is_right || options_.is_mock) return failure(Errc::refused, "the password is wrong");
  client_keys_.emplace(ScramKeys(client_key, verifier.server_key), verifier.salt,
                       verifier.iterations);
  state_ = State::proven;
  return fmt::format("v={}", base64_of(digest_bytes(signature)));
}

}  // namespace forebay::wire
