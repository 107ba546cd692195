// Serves the stand-in's DynamoDB until its input ends, for clients that are no test programs of
// ours. Its only line of output is where.
#include <cstdio>
#include <iostream>

#include <fmt/format.h>

#include "forebay/standin/dynamodb/dynamodb_server.hpp"

int main() {
  forebay::Runtime runtime;
  forebay::sim::dynamodb::Tables tables;
  const auto server = forebay::standin::DynamoDbServer::open(runtime, tables, {});
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().text());
    return 1;
  }
  fmt::print("{}\n", (*server)->url());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
  }
}
