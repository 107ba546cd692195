#include "forebay/wire/auth/scram_client.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/base/number_text.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/wire/auth/base64.hpp"
#include "forebay/wire/auth/scram_message.hpp"
#include "forebay/wire/protocol/violation.hpp"

namespace forebay::wire {
namespace {

// A comma would end the attribute.
std::string escaped_name(std::string_view name) {
  std::string text;
  for (const char letter : name) {
    if (letter == ',') {
      text += "=2C";
    } else if (letter == '=') {
      text += "=3D";
    } else {
      text += letter;
    }
  }
  return text;
}

struct ScramChallenge {
  std::string_view nonce;
  std::string salt;
  int iterations = 0;
};

Result<ScramChallenge> parse_challenge(std::string_view message, std::string_view own_nonce) {
  ScramAttributes attributes(message);
  const auto nonce = attributes.take('r');
  const auto salt = attributes.take('s');
  const auto rounds = attributes.take('i');
  if (!nonce || !salt || !rounds) return failure(malformed_scram("r, s and i are not all there"));
  if (!is_nonce(*nonce) || !nonce->starts_with(own_nonce) || nonce->size() == own_nonce.size())
    return failure(malformed_scram("the nonce is not ours with something added"));
  std::optional<std::string> salt_bytes = bytes_of_base64(*salt);
  if (!salt_bytes || salt_bytes->empty()) return failure(malformed_scram("the salt is no base64"));

  const std::optional<int> iterations = parse_number<int>(*rounds);
  if (!iterations || *iterations < 1 || *iterations > kMostScramIterations)
    return failure(malformed_scram(
        fmt::format("iterations are {}, not 1 to {}", *rounds, kMostScramIterations)));
  return ScramChallenge{*nonce, std::move(*salt_bytes), *iterations};
}

}  // namespace

ScramClient::ScramClient(ScramClientOptions options) : options_(std::move(options)) {
  FOREBAY_CHECK(is_nonce(options_.nonce), "a nonce is printable and has no comma");
}

std::string_view ScramClient::mechanism() const {
  return options_.channel_binding.empty() ? kScram : kScramPlus;
}

std::string ScramClient::gs2_header() const {
  if (!options_.channel_binding.empty()) return fmt::format("p={},,", kChannelBinding);
  return options_.could_bind ? "y,," : "n,,";
}

std::string ScramClient::first() {
  FOREBAY_CHECK(state_ == State::start);
  state_ = State::sent_first;
  first_bare_ = fmt::format("n={},r={}", escaped_name(options_.user), options_.nonce);
  return gs2_header() + first_bare_;
}

Result<std::string> ScramClient::receive_challenge(std::string_view server_first) {
  const State before = std::exchange(state_, State::failed);
  if (before != State::sent_first) return failure(malformed_scram("a challenge out of turn"));
  Result<ScramChallenge> challenge = parse_challenge(server_first, options_.nonce);
  if (!challenge) return failure(std::move(challenge).error());
  const Result<ScramKeys> keys = keys_for(std::move(challenge->salt), challenge->iterations);
  if (!keys) return failure(keys.error());

  const std::string final_bare = fmt::format(
      "c={},r={}", base64_of(gs2_header() + options_.channel_binding), challenge->nonce);
  auth_message_ = fmt::format("{},{},{}", first_bare_, server_first, final_bare);
  const ScramKey signature = hmac_sha256(digest_bytes(keys->stored_key()), auth_message_);
  const ScramKey proof = exclusive_or(keys->client_key, signature);
  state_ = State::sent_final;
  return fmt::format("{},p={}", final_bare, base64_of(digest_bytes(proof)));
}

Result<ScramKeys> ScramClient::keys_for(std::string salt, int iterations) {
  const std::optional<SaltedKeys>& known = options_.known;
  if (known && known->salt == salt && known->iterations == iterations) {
    derived_ = known;
  } else if (!options_.password.empty()) {
    derived_.emplace(ScramKeys::of(options_.password, salt, iterations), salt, iterations);
  } else {
    return failure(Errc::refused,
                   known ? "the server's salt is not the one that the keys were made with"
                         : "the server asks for a password, and there is none");
  }
  return derived_->keys;
}

Result<void> ScramClient::receive_outcome(std::string_view server_final) {
  const State before = std::exchange(state_, State::failed);
  if (before != State::sent_final) return failure(malformed_scram("an outcome out of turn"));
  ScramAttributes attributes(server_final);
  if (const auto refusal = attributes.take('e'))
    return failure(Errc::refused, fmt::format("the server refuses: {}", *refusal));
  const auto verifier = attributes.take('v');
  const std::optional<std::string> signature =
      verifier ? bytes_of_base64(*verifier) : std::optional<std::string>();
  if (!signature) return failure(malformed_scram("v is missing, or no base64"));
  const ScramKey expected = hmac_sha256(digest_bytes(derived_->keys.server_key), auth_message_);
  if (!equal_in_constant_time(*signature, digest_bytes(expected)))
    return failure(Errc::refused, "the server does not know the password that it asked for");
  state_ = State::proven;
  return {};
}

}  // namespace forebay::wire
