// What a server's code means where several folders have to know.
#pragma once

#include <string_view>

namespace forebay {

// Class 28, "invalid authorization specification": who we are, not what we ask for.
constexpr bool is_about_identity(std::string_view sqlstate) { return sqlstate.starts_with("28"); }

}  // namespace forebay
