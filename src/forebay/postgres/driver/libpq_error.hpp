// From libpq's messages to our Errors: one line for people, the SQLSTATE where a server spoke.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/postgres/driver/conninfo.hpp"
#include "forebay/postgres/driver/libpq_env.hpp"
#include "forebay/wire/protocol/error_fields.hpp"

namespace forebay::postgres {

// A statement that failed. Errc::connection_lost if the connection did not survive it, else
// Errc::statement_failed. The result may be null when libpq made none.
Error statement_error(const pg_result* result, const pg_conn* connection);

// The same of an ErrorResponse that libpq did not read.
Error statement_error(const wire::ErrorFields& fields);

// The connection was lost before the server had answered, and without a word of it.
Error lost_without_answer(std::string_view how);
// And with it, when the server had already refused the statement.
Error lost_after(const Error& refusal);

// A connect that failed. REQUIRES: the message was made with PQERRORS_VERBOSE, the only way in
// which libpq 15 tells the SQLSTATE of a refused connection.
Error connect_error(std::string_view verbose_message, const ConnectionString& target);

// True: the connection was lost because nothing was heard of the server any more, and not because
// the server, or its machine, said so.
bool is_lost_in_silence(const pg_conn* connection);

// The message on one line.
std::string one_line(std::string_view message);

}  // namespace forebay::postgres
