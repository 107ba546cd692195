// The places where libpq's objects are freed, and the one where its voice is taken.
#include "forebay/detail/postgres/driver/libpq_handles.hpp"

#include <libpq-fe.h>

namespace forebay::postgres {

void FinishConnection::operator()(pg_conn* connection) const noexcept { PQfinish(connection); }

void ClearResult::operator()(pg_result* result) const noexcept { PQclear(result); }

void FreeMemory::operator()(char* text) const noexcept { PQfreemem(text); }

void ignore_notices(pg_conn* connection) {
  const auto ignore = [](void*, const PGresult*) {};
  PQsetNoticeReceiver(connection, ignore, nullptr);
}

}  // namespace forebay::postgres
