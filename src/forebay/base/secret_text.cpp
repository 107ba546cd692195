#include "forebay/base/secret_text.hpp"

#include "forebay/base/ascii_text.hpp"

namespace forebay {
namespace {

constexpr std::string_view kHidden = "***";
constexpr std::size_t kShortest = 4;  // that is hidden at all
constexpr std::size_t kLong = 8;      // that no other word holds by chance

bool is_part_of_word(char c) {
  const char lower = lower_case(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_word_of_its_own(std::string_view text, std::size_t at, std::size_t size) {
  const bool has_before = at > 0 && is_part_of_word(text[at - 1]);
  const bool has_after = at + size < text.size() && is_part_of_word(text[at + size]);
  return !has_before && !has_after;
}

}  // namespace

std::string without_secret(std::string text, std::string_view secret) {
  if (secret.size() < kShortest) return text;
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    if (secret.size() >= kLong || is_word_of_its_own(text, at, secret.size())) {
      text.replace(at, secret.size(), kHidden);
      at += kHidden.size();
    } else {
      ++at;
    }
  }
  return text;
}

}  // namespace forebay
