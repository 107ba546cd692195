// Places to listen at as people type them: 6432, 127.0.0.1:6432, [::1]:6432 or /path/of/a/socket,
// several with commas between. Clients are not asked who they are, so only what is open to nobody
// but this machine is accepted. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/env/stream_address.hpp"
#include "forebay/env/value_text.hpp"

namespace forebay::config {

ReadValue<std::vector<StreamAddress>> listen_value(std::string_view text);
// A text that is read back as the same places.
std::string listen_text(const std::vector<StreamAddress>& places);

}  // namespace forebay::config
