// What the reasons of failures and discards mean, and what to do about each. Pure.
#pragma once

#include <string_view>

namespace forebay::doctor {

struct ReasonAdvice {
  std::string_view reason;  // as the metric's label has it
  std::string_view why;
  std::string_view advice;
};

// Of dsql_reservoir_refill_failures_total and dsql_reservoir_discards_total. One that is not known
// has its own words: see the log.
const ReasonAdvice& refill_failure_advice(std::string_view reason);
const ReasonAdvice& discard_advice(std::string_view reason);

// Whether connections are discarded for it in the ordinary course of things, however many.
bool is_planned_discard(std::string_view reason);

}  // namespace forebay::doctor
