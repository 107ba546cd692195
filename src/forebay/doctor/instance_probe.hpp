// Reads the metrics of a running process twice, and says what they tell.
#pragma once

#include <string>
#include <utility>

#include "forebay/doctor/finding.hpp"
#include "forebay/env/http.hpp"
#include "forebay/env/scheduler.hpp"

namespace forebay::doctor {

// Has a constructor because coroutines take it by value.
class InstanceRequest {
 public:
  explicit InstanceRequest(std::string address) : url(std::move(address)) {}

  std::string url;  // of its page of metrics; no secret
  Duration watch = std::chrono::seconds(3);
  Duration timeout = std::chrono::seconds(10);
};

Task<Findings> look_at_running_instance(Scheduler& scheduler, HttpTransport& http,
                                        InstanceRequest request);

}  // namespace forebay::doctor
