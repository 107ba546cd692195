// Keeps secrets out of texts that others wrote. Pure.
#pragma once

#include <string>
#include <string_view>

namespace forebay {

// The text with *** wherever the secret stands. A short secret is hidden only where it is a word of
// its own: blotting out a part of other words would garble what is told, and say what the secret
// is. Of less than four characters it is hidden nowhere, for the same reason.
std::string without_secret(std::string text, std::string_view secret);

}  // namespace forebay
