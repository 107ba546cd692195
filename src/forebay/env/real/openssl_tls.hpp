// TLS by OpenSSL, 1.2 at least. Sessions are not resumed: streams live long.
//
// These read files, so they belong to the start of a program, or on a lane. A file that changes is
// read by making a new one, for the streams to come. Errc::invalid says which file is wrong, and
// how.
#pragma once

#include <memory>

#include "forebay/env/tls.hpp"

namespace forebay::real {

Result<std::unique_ptr<TlsServer>> make_tls_server(const TlsServerOptions& options);
Result<std::unique_ptr<TlsClient>> make_tls_client(const TlsClientOptions& options);

}  // namespace forebay::real
