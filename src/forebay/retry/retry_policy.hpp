// RetryPolicy: how often and how soon a transaction that lost a conflict is run again.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "forebay/core/backoff.hpp"

namespace forebay {

struct RetryPolicy {
  int max_retries = 5;  // after the first attempt
  BackoffRule backoff{std::chrono::milliseconds(100), std::chrono::seconds(5), 25};
};

// Everything that is wrong with it, one sentence each: the value, and what would be right.
std::vector<std::string> problems(const RetryPolicy& policy);

}  // namespace forebay
