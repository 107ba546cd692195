// RetryPolicy: how often and how soon a transaction that lost a conflict is run again.
#pragma once

#include <chrono>

#include "forebay/core/backoff.hpp"
#include "forebay/env/option_problem.hpp"

namespace forebay {

struct RetryPolicy {
  int max_retries = 5;  // after the first attempt
  BackoffRule backoff{std::chrono::milliseconds(100), std::chrono::seconds(5), 25};
};

// Everything that is wrong with it.
OptionProblems problems(const RetryPolicy& policy);

}  // namespace forebay
