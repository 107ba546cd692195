// ObservedSpan: one call from its begin to its end, for an observer if there is one.
//
//   ObservedSpan span(observation, scheduler);
//   if (span) span.begin(ObservedStep::statement, context, sql);
//   return span.ended(result);
#pragma once

#include <string_view>
#include <utility>

#include "forebay/env/scheduler.hpp"
#include "forebay/pool/observer.hpp"

namespace forebay::detail {

// Confined to its call. The observation outlives it.
class ObservedSpan {
 public:
  ObservedSpan(const Observation& observation, const Scheduler& scheduler)
      : observation_(observation), scheduler_(scheduler) {}

  explicit operator bool() const { return observation_.observer != nullptr; }
  // REQUIRES: there is an observer. The views live as long as the call.
  void begin(ObservedStep step, std::string_view context, std::string_view subject,
             int attempt = 0);
  void end(const Error* error);
  template <class R>
  R ended(R result) {
    if (*this) end(result ? nullptr : &result.error());
    return result;
  }

 private:
  const Observation& observation_;
  const Scheduler& scheduler_;
  ObservedCall call_;
  Instant begun_{};
};

}  // namespace forebay::detail
