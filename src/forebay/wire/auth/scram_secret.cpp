#include "forebay/wire/auth/scram_secret.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/base/number_text.hpp"
#include "forebay/wire/auth/base64.hpp"

namespace forebay::wire {
namespace {

constexpr std::string_view kVerifierPrefix = "SCRAM-SHA-256$";
constexpr std::size_t kMockSaltSize = 16;  // as long as PostgreSQL's

// Takes what stands before the separator; nothing: there is none.
std::optional<std::string_view> take_part(std::string_view& from, char separator) {
  const std::size_t size = from.find(separator);
  if (size == std::string_view::npos) return std::nullopt;
  const std::string_view part = from.substr(0, size);
  from.remove_prefix(size + 1);
  return part;
}

std::optional<ScramKey> key_of(std::string_view base64) {
  const std::optional<std::string> bytes = bytes_of_base64(base64);
  ScramKey key;
  if (!bytes || bytes->size() != key.size()) return std::nullopt;
  std::copy(bytes->begin(), bytes->end(), key.begin());
  return key;
}

}  // namespace

ScramKeys ScramKeys::of(std::string_view password, std::string_view salt, int iterations) {
  const ScramKey salted = salted_password(password, salt, iterations);
  return {hmac_sha256(digest_bytes(salted), "Client Key"),
          hmac_sha256(digest_bytes(salted), "Server Key")};
}

ScramVerifier ScramVerifier::of(std::string_view password, std::string salt, int iterations) {
  const ScramKeys keys = ScramKeys::of(password, salt, iterations);
  return {iterations, std::move(salt), keys.stored_key(), keys.server_key};
}

std::optional<ScramVerifier> ScramVerifier::parse(std::string_view text) {
  if (!text.starts_with(kVerifierPrefix)) return std::nullopt;
  text.remove_prefix(kVerifierPrefix.size());
  const auto number = take_part(text, ':');
  const auto salt = take_part(text, '$');
  const auto stored = take_part(text, ':');
  if (!number || !salt || !stored) return std::nullopt;

  const std::optional<int> iterations = parse_number<int>(*number);
  std::optional<std::string> salt_bytes = bytes_of_base64(*salt);
  const std::optional<ScramKey> stored_key = key_of(*stored);
  const std::optional<ScramKey> server_key = key_of(text);
  if (!iterations || *iterations < 1 || !salt_bytes || salt_bytes->empty() || !stored_key ||
      !server_key)
    return std::nullopt;
  return ScramVerifier(*iterations, std::move(*salt_bytes), *stored_key, *server_key);
}

ScramVerifier ScramVerifier::mock(std::string_view user, std::string_view key, int iterations) {
  const auto derive = [&](std::string_view purpose) {
    return hmac_sha256(key, std::string(purpose) + std::string(user));
  };
  const ScramKey salt = derive("salt of ");
  return {iterations, std::string(digest_bytes(salt).substr(0, kMockSaltSize)),
          derive("stored key of "), derive("server key of ")};
}

std::string ScramVerifier::text() const {
  return fmt::format("{}{}:{}${}:{}", kVerifierPrefix, iterations, base64_of(salt),
                     base64_of(digest_bytes(stored_key)), base64_of(digest_bytes(server_key)));
}

bool ScramVerifier::is_of(std::string_view password) const {
  const ScramKeys keys = ScramKeys::of(password, salt, iterations);
  return equal_in_constant_time(digest_bytes(keys.stored_key()), digest_bytes(stored_key));
}

}  // namespace forebay::wire
