#include "forebay/wire/auth/stored_secret.hpp"

#include "forebay/hash/digest.hpp"
#include "forebay/wire/auth/base64.hpp"

namespace forebay::wire {
namespace {

constexpr std::string_view kMd5Prefix = "md5";

Result<std::string> md5_text(const std::string& of) {
  const std::optional<std::string> digits = md5_hex(of);
  if (!digits) return failure(Errc::refused, "MD5 is forbidden on this machine");
  return std::string(kMd5Prefix) + *digits;
}

bool is_md5_secret(std::string_view text) {
  return text.size() == 35 && text.starts_with(kMd5Prefix) &&
         text.find_first_not_of("0123456789abcdef", kMd5Prefix.size()) == std::string_view::npos;
}

}  // namespace

Result<std::string> md5_secret(std::string_view password, std::string_view user) {
  return md5_text(std::string(password) + std::string(user));
}

Result<std::string> md5_answer(std::string_view secret, std::string_view salt) {
  return md5_text(std::string(secret.substr(kMd5Prefix.size())) + std::string(salt));
}

StoredSecret StoredSecret::parse(std::string_view text) {
  if (std::optional<ScramVerifier> verifier = ScramVerifier::parse(text))
    return StoredSecret(std::move(*verifier));
  if (is_md5_secret(text)) return StoredSecret(Md5{std::string(text)});
  return StoredSecret(Plain{std::string(text)});
}

StoredSecret StoredSecret::mock(Kind kind, std::string_view user, std::string_view key) {
  const ScramVerifier verifier = ScramVerifier::mock(user, key);
  const std::string nobodys = base64_of(digest_bytes(verifier.stored_key));
  StoredSecret secret(Plain{nobodys});
  if (kind == Kind::md5) secret.secret_ = Md5{std::string(kMd5Prefix) + nobodys.substr(0, 32)};
  if (kind == Kind::scram) secret.secret_ = verifier;
  secret.is_mock_ = true;
  return secret;
}

bool StoredSecret::is_of(std::string_view password, std::string_view user) const {
  bool is_right = false;
  if (const auto* plain = std::get_if<Plain>(&secret_)) {
    is_right = equal_in_constant_time(password, plain->password);
  } else if (const auto* md5 = std::get_if<Md5>(&secret_)) {
    const Result<std::string> given = md5_secret(password, user);
    is_right = given && equal_in_constant_time(*given, md5->secret);
  } else {
    is_right = verifier().is_of(password);
  }
  return is_right && !is_mock_;
}

bool StoredSecret::is_answered_by(std::string_view answer, std::string_view user,
                                  std::string_view salt) const {
  const auto* plain = std::get_if<Plain>(&secret_);
  const Result<std::string> secret = plain ? md5_secret(plain->password, user)
                                           : Result<std::string>(std::get<Md5>(secret_).secret);
  if (!secret) return false;
  const Result<std::string> expected = md5_answer(*secret, salt);
  return expected && equal_in_constant_time(answer, *expected) && !is_mock_;
}

}  // namespace forebay::wire
