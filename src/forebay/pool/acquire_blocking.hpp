// What callers with a thread of their own do when nothing is ready, and the error for those that
// get nothing.
#pragma once

#include <source_location>

#include "forebay/base/error.hpp"
#include "forebay/env/time.hpp"
#include "forebay/pool/pooled_connection.hpp"

namespace forebay {

class Errand;
class Exchange;
struct Waiter;

// The answer to an acquire in a child after fork().
Error used_after_fork();

// Why a caller got nothing, in words and numbers. An Error with a ConnectionLimit: a budget that
// the pool shares had no room.
Error explain_no_connection(const Exchange& exchange, const Waiter& waiter, Duration waited);

// For a caller who has just found nothing ready. On the thread of a loop it is Errc::invalid.
Result<PooledConnection> wait_blocking(Exchange& exchange, Duration timeout,
                                       const std::source_location& from);
// The same for one who has an errand, which whoever hands the connection over may have begun.
Result<PooledConnection> wait_for_errand(Exchange& exchange, Errand& errand);

}  // namespace forebay
