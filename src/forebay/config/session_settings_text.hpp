// Session settings in one line, as libpq has its key=value pairs: search_path='app, public'
// statement_timeout=30s. In quotes and without, a backslash takes what follows as it is. Pure.
#pragma once

#include <string>
#include <string_view>

#include "forebay/env/value_text.hpp"
#include "forebay/pool/session_settings.hpp"

namespace forebay::config {

ReadValue<SessionSettings> session_settings_value(std::string_view text);
// A text that is read back as the same settings.
std::string session_settings_text(const SessionSettings& settings);

}  // namespace forebay::config
