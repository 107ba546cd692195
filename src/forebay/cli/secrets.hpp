// Keeps what may be a password off the screen and out of the process list.
#pragma once

#include <string>
#include <string_view>

namespace forebay::cli {

// Whether a word of the command line looks like a connection string or a part of one.
bool may_hold_secret(std::string_view word);

// A value for an error message: in quotes, unless it may hold a secret.
std::string shown(std::string_view value);

// Overwrites such words in place, where the system reads them for ps. Copies made before stay good.
void hide_secrets(int count, char** words);

}  // namespace forebay::cli
