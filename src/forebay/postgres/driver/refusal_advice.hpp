// What to do about a server's refusal to let us in, for those refusals whose words do not tell.
#pragma once

#include <string_view>

namespace forebay::postgres {

// Empty: the message speaks for itself. The message is that of a failed connect, hints included.
std::string_view refusal_advice(std::string_view message);

}  // namespace forebay::postgres
