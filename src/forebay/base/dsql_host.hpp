// Which hosts are Aurora DSQL's: *.dsql*.<region>.on.aws. The one place that says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace forebay {

// Regions become parts of host names, so there are small letters, digits and "-" in them, and
// nothing else.
bool is_region(std::string_view text);

// "abc.dsql.eu-west-1.on.aws" is in eu-west-1, in any case and with or without a dot at the end.
// The label is "dsql", or "dsql-<suffix>" behind PrivateLink. Nothing: it is no such host.
std::optional<std::string> dsql_region(std::string_view host);

inline bool is_dsql_host(std::string_view host) { return dsql_region(host).has_value(); }

}  // namespace forebay
