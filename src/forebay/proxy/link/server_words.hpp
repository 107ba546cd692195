// What a server says in ErrorResponse, as our errors. Pure.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/error.hpp"

namespace forebay::proxy {

// Both take the body of an ErrorResponse. A body that makes no sense is an error of the protocol.
Error refusal_of_connect(std::string_view body);
Error refusal_of_statement(std::string_view body);

// The server does not keep to the protocol, so nobody knows what comes next.
Error out_of_step(std::string_view what);

// What the error of a stream, or of TLS, means to one who wanted to connect.
Error trouble_of_connect(const Error& error);

// True: a stream ended because nothing was heard of the other side any more, and not because that
// side, or its machine, said so. Then the server may still be there.
bool is_silence(const Error& error);

}  // namespace forebay::proxy
