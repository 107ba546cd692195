// The throw-away PostgreSQL that a benchmark works on, and how a benchmark ends that cannot.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "forebay/embedded/postgres_server.hpp"

namespace forebay::bench {

[[noreturn]] inline void give_up(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
  std::exit(1);
}

// Started at the first call; it ends with the thread that makes that, and with the program.
inline embedded::PostgresServer& server() {
  static const std::unique_ptr<embedded::PostgresServer> launched = [] {
    auto result = embedded::PostgresServer::launch({});
    if (!result) give_up(result.error().text());
    return std::move(*result);
  }();
  return *launched;
}

}  // namespace forebay::bench
