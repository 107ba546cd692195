// What the counter of leases in a table says of a database, whoever holds them.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::test {

inline std::int64_t lease_counter(Runtime& runtime, aws::DynamoDb& client, const std::string& table,
                                  const std::string& endpoint) {
  const Instant deadline =
      deadline_after(runtime.scheduler().now(), Duration(std::chrono::seconds(30)));
  const auto item = run_blocking(runtime.scheduler(),
                                 client.get(table, "dsqllease_counter#" + endpoint, deadline));
  FOREBAY_CHECK(item.has_value(), item.error().text());
  return *item ? aws::integer_at(**item, "active").value_or(-1) : 0;
}

}  // namespace forebay::test
