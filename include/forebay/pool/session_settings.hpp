// SessionSettings: what every session of a pool is set to, by name.
#pragma once

#include <map>
#include <string>

namespace forebay {

// {"search_path", "app, public"}: names as SET has them, values without quotes.
using SessionSettings = std::map<std::string, std::string>;

}  // namespace forebay
