// What was seen of one DynamoDB table. Pure; TableProbe does the looking.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/doctor/finding.hpp"

namespace forebay::doctor {

class TableFacts {
 public:
  TableFacts(std::string table_name, std::string what_for)
      : table(std::move(table_name)), purpose(std::move(what_for)) {}

  std::string table;
  std::string purpose;  // "leases and rate"
  std::optional<aws::TableState> state;
  std::optional<aws::TtlState> ttl;
  std::optional<Error> state_failure;
  std::optional<Error> ttl_failure;
  std::optional<Error> read_failure;
  std::vector<Error> refusals;  // of requests that could change nothing
  Duration latency{};           // of the read
};

// The tables of the options, each once.
struct ClusterTable {
  ClusterTable(std::string table_name, std::string what_for)
      : table(std::move(table_name)), purpose(std::move(what_for)) {}
  std::string table;
  std::string purpose;
};
std::vector<ClusterTable> tables_of(const std::string& leases, const std::string& rate,
                                    const std::string& ids);

// `request_timeout`: what a request of the service may take.
Findings check_table(const TableFacts& facts, Duration request_timeout);

}  // namespace forebay::doctor
