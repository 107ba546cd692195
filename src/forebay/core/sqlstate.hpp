// What a server's refusal means for us. Pure: SQLSTATE and message in, meaning out.
//
// The message matters where the SQLSTATE does not tell: libpq may report a failed connect without
// one, and DSQL reports different things under the same one.
#pragma once

#include <cstdint>
#include <string_view>

#include "forebay/base/error.hpp"

namespace forebay {

enum class SqlMeaning : std::uint8_t {
  success,
  serialization_conflict,  // another transaction won: run the whole transaction again
  limit_reached,           // no connection left for us, or not at this rate
  token_expired,           // DSQL: the token was good once; a fresh one may do
  refused,                 // credentials, database or role: trying again changes nothing
  shutting_down,           // the server is stopping or starting, and drops its sessions
  connection_lost,         // this session is over
  transaction_limit,       // the transaction was too big or too old
  unsupported,             // a statement that this server does not have
  server_unavailable,      // DSQL, transient: the connection stays usable
  waking_up,               // DSQL: the cluster was asleep, try again later
  other,
};

// The same code can mean different things: 53400 is DSQL's connect rate, or a full temp_file_limit.
enum class SqlPhase : std::uint8_t { connecting, statement };

std::string_view name(SqlMeaning meaning);

SqlMeaning meaning_of(std::string_view sqlstate, std::string_view message, SqlPhase phase);

// True: after a statement failed with this meaning, its connection is of no more use.
bool is_fatal_for_connection(SqlMeaning meaning);

// The error code that a failed connect with this meaning has for the pool.
Errc connect_error_code(SqlMeaning meaning);

}  // namespace forebay
