// What the program is told on its command line and by DATABASE_URL.
#pragma once

#include <string>

#include <forebay/base/error.hpp>

namespace workflow {

inline constexpr const char* kUsage =
    "usage: workflow_store [--database URL] [--threads N] [--seconds S] [--print-schema]\n"
    "  --database URL  the PostgreSQL or Aurora DSQL to work on; otherwise DATABASE_URL says it\n"
    "  --threads N     owners who fight over the shards, 1 to 64; default 8\n"
    "  --seconds S     how long, 1 to 3600; default 5\n"
    "  --print-schema  print the statements that create the tables, and connect to nothing\n";

struct Arguments {
  std::string database;
  int threads = 8;
  int seconds = 5;
  bool wants_help = false;
  bool wants_schema = false;
};

// Errc::invalid: one sentence on what is wrong. database_url may be null.
forebay::Result<Arguments> parse_arguments(int count, char** words, const char* database_url);

}  // namespace workflow
