// LibpqEnv: what the libpq driver asks of the world, and the owners of libpq's objects.
//
// No header of this folder includes libpq-fe.h, so that libpq stays an affair of its .cpp files.
#pragma once

#include <memory>

#include "forebay/env/blocking_lane.hpp"
#include "forebay/env/descriptor_watch.hpp"
#include "forebay/env/name_resolver.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/scheduler.hpp"

struct pg_conn;    // libpq's PGconn
struct pg_result;  // libpq's PGresult

namespace forebay::postgres {

struct LibpqEnv {
  Scheduler& scheduler;
  DescriptorWatcher& descriptors;
  BlockingLane& lane;
  NameResolver& names;
};

inline LibpqEnv libpq_env(Runtime& runtime) {
  return {runtime.scheduler(), runtime.descriptors(), runtime.lane(), runtime.names()};
}

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
