// OptionProblem: what is wrong with one option, as data. Code that knows the option by another
// name, a setting or a flag, says the same of that name; nobody takes sentences apart.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/error.hpp"

namespace forebay {

struct OptionProblem {
  OptionProblem(std::string option_name, std::string its_value, std::string what_must_hold)
      : option(std::move(option_name)),
        value(std::move(its_value)),
        text(std::move(what_must_hold)) {}

  std::string option;  // the member: "size.max", "backoff.longest"
  std::string value;   // as people write it; empty: it must not be shown
  std::string text;    // what must hold, and why, without the names of other options
};
using OptionProblems = std::vector<OptionProblem>;

// "size.max is 0: it must be between 1 and 1000000 (connections the pool may have in all)", of the
// option or of what the reader calls it.
std::string sentence(const OptionProblem& problem);
std::string sentence(std::string_view name, const OptionProblem& problem);
std::vector<std::string> sentences(const OptionProblems& problems);
// Errc::invalid, with all of them, one line each.
Error invalid_options(const OptionProblems& problems);

// Those of the options that are a member of others: "pool.size.max".
OptionProblems within(std::string_view member, OptionProblems problems);
void append(OptionProblems& problems, OptionProblems more);

}  // namespace forebay
