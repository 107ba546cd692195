// What a client hears when session state of its is refused.
#pragma once

#include "forebay/wire/leftovers.hpp"
#include "forebay/wire/protocol/error_fields.hpp"

namespace forebay::proxy {

// None: it was a function call of the protocol.
wire::ErrorReport refusal(wire::Leftovers pins);

}  // namespace forebay::proxy
