// What a server means that refuses us. Pure: SQLSTATE and message in, our code or class out.
//
// The message matters where the SQLSTATE does not tell: libpq may report a failed connect without
// one, and DSQL reports different things under the same one. PostgreSQL and DSQL share the tables:
// DSQL is also met under names that do not show it, and no words of one mean something else to the
// other.
#pragma once

#include <string_view>

#include "forebay/base/error.hpp"

namespace forebay::postgres {

// Of a connect that failed: limit_reached, rate_reached, refused, token_expired, or else
// connect_failed.
Errc connect_code(std::string_view sqlstate, std::string_view message);

// Of a statement that failed; is_lost: and its connection with it. A deadlock (40P01) is retryable:
// the server chose this transaction as the one to roll back.
ErrorClass statement_class(std::string_view sqlstate, std::string_view message, bool is_lost);

// True: after a statement failed so, its connection is of no more use. rechecks_identity: see
// ServerProfile.
bool ends_session(const Error& error, bool rechecks_identity);

}  // namespace forebay::postgres
