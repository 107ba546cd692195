// OptionRules: what options are held against. It collects their problems. Each rule says whether it
// holds, because what is compared with a wrong value is not worth a word.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/env/option_problem.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class OptionRules {
 public:
  bool require(bool holds, std::string_view option, std::string value, std::string text);
  bool whole(std::string_view option, std::int64_t value, std::int64_t least, std::int64_t most,
             std::string_view why);
  bool time(std::string_view option, Duration value, Duration least, Duration most);
  // At most a year: beyond it a time means nothing, and arithmetic on instants could overflow.
  bool positive_time(std::string_view option, Duration value);
  bool time_or_zero(std::string_view option, Duration value);
  bool time_or_never(std::string_view option, Duration value);  // Duration::max(): switched off
  OptionProblems take() { return std::move(problems_); }

 private:
  OptionProblems problems_;
};

}  // namespace forebay
