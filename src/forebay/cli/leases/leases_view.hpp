// What "forebay leases" shows: the counter, who holds leases, and whether they add up. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/cli/text/styled_line.hpp"
#include "forebay/coordination/leases/lease_store.hpp"

namespace forebay::cli {

class LeasesReport {
 public:
  explicit LeasesReport(LeaseListing found) : listing(std::move(found)) {}

  int surplus() const { return listing.surplus(); }

  LeaseListing listing;
  std::string table;
  std::string endpoint;
  std::string region;
  aws::TtlState ttl;
  WallTime now{};
  std::optional<int> limit;
};

std::string leases_text(const LeasesReport& report, const TextStyle& style);
std::string leases_json(const LeasesReport& report);  // one line
// For a log that grows: the time, the counter, and whether it adds up.
std::string leases_line(const LeasesReport& report);

}  // namespace forebay::cli
