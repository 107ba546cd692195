// The owners of libpq's objects.
//
// No header includes libpq-fe.h but those for users of libpq, so that it stays an affair of the
// driver's .cpp files.
#pragma once

#include <memory>

struct pg_conn;    // libpq's PGconn
struct pg_result;  // libpq's PGresult

namespace forebay::postgres {

struct FinishConnection {
  void operator()(pg_conn* connection) const noexcept;  // PQfinish
};
using LibpqHandle = std::unique_ptr<pg_conn, FinishConnection>;

struct ClearResult {
  void operator()(pg_result* result) const noexcept;  // PQclear
};
using ResultHandle = std::unique_ptr<pg_result, ClearResult>;

struct FreeMemory {
  void operator()(char* text) const noexcept;  // PQfreemem
};
using LibpqText = std::unique_ptr<char, FreeMemory>;

// What the server says unasked goes nowhere; libpq would print it to stderr.
void ignore_notices(pg_conn* connection);

}  // namespace forebay::postgres
