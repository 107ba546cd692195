// The name of a tenant's database, made of its id: <prefix>_ws_<id, with - as _>.
//
// Ids come from requests and may be hostile. Whatever is not plainly a name is refused, with the
// reason, before anything happens. Two ids that are accepted never share a database.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/error.hpp"

namespace forebay {

// Errc::invalid: the id is empty, too long for a name of 63 bytes, or has other characters than
// letters, digits and '-'. REQUIRES: check_prefix(prefix).
Result<std::string> tenant_database(std::string_view prefix, std::string_view tenant);

Result<void> check_prefix(std::string_view prefix);

}  // namespace forebay
