// The throw-away PostgreSQL of the demo.
#pragma once

#include <memory>
#include <string>

#include "forebay/embedded/postgres_server.hpp"
#include "forebay/env/real/runtime.hpp"

namespace forebay::cli {

struct DemoServer {
  std::unique_ptr<embedded::PostgresServer> server;
  std::string url;
};

// Starts one that refuses every connection above the limit. It ends with the calling thread.
Result<DemoServer> launch_demo_server(Runtime& runtime, int connection_limit);

}  // namespace forebay::cli
