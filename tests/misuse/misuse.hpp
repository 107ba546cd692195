// Programs that use the library wrongly, each in its own process. docs/misuse.md tells what becomes
// of each, and misuse_test.cpp compares.
#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "forebay/forebay.hpp"

namespace forebay::misuse {

using namespace std::chrono_literals;
using postgres::PooledSession;
using postgres::PostgresPool;

struct Program {
  const char* name;
  void (*run)(const std::string& url);  // of a PostgreSQL that lets the superuser in
};

std::vector<Program> lifetime_programs();
std::vector<Program> loop_programs();
std::vector<Program> exception_programs();
std::vector<Program> value_programs();
std::vector<Program> process_programs();
std::vector<Program> loan_programs();

// What an Error says, for the test to see.
inline void print(const Error& error) {
  std::printf("%s: %s\n", std::string(name(error.code())).c_str(), error.text().c_str());
}
inline void print(const std::string& text) { std::printf("%s\n", text.c_str()); }

// The program is wrong about something else than it should be.
[[noreturn]] inline void fail(const std::string& text) {
  print(text);
  std::fflush(stdout);
  ::_exit(4);
}

inline std::unique_ptr<PostgresPool> open_pool(Runtime& runtime, const std::string& url,
                                               PoolOptions options = {}) {
  options.size.max = 4;
  options.initial_fill_limit = 10s;
  auto pool = PostgresPool::open(runtime, url, std::move(options));
  if (!pool) fail(pool.error().text());
  return std::move(*pool);
}

inline PooledSession acquire(PostgresPool& pool) {
  Result<PooledSession> session = pool.acquire_blocking(20s);
  if (!session) fail(session.error().text());
  return std::move(*session);
}

inline std::string answer(PooledSession& session, const std::string& sql) {
  const auto rows = session->exec_blocking(sql, 20s);
  if (!rows) return rows.error().text();
  return rows->rows() > 0 ? std::string(rows->value(0, 0).value_or("null")) : "no rows";
}

}  // namespace forebay::misuse
