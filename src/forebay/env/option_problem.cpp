#include "forebay/env/option_problem.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"
#include "forebay/env/option_rules.hpp"

namespace forebay {
namespace {

constexpr Duration kLongest = std::chrono::hours(24 * 365);

}  // namespace

std::string sentence(const OptionProblem& problem) { return sentence(problem.option, problem); }

std::string sentence(std::string_view name, const OptionProblem& problem) {
  if (problem.value.empty()) return fmt::format("{} (not shown): {}", name, problem.text);
  return fmt::format("{} is {}: {}", name, problem.value, problem.text);
}

std::vector<std::string> sentences(const OptionProblems& problems) {
  std::vector<std::string> texts;
  for (const OptionProblem& problem : problems) texts.push_back(sentence(problem));
  return texts;
}

Error invalid_options(const OptionProblems& problems) {
  return Error(Errc::invalid, fmt::format("{}", fmt::join(sentences(problems), "\n")));
}

OptionProblems within(std::string_view member, OptionProblems problems) {
  for (OptionProblem& problem : problems)
    problem.option = fmt::format("{}.{}", member, problem.option);
  return problems;
}

void append(OptionProblems& problems, OptionProblems more) {
  problems.insert(problems.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

bool OptionRules::require(bool holds, std::string_view option, std::string value,
                          std::string text) {
  if (!holds) problems_.emplace_back(std::string(option), std::move(value), std::move(text));
  return holds;
}

bool OptionRules::whole(std::string_view option, std::int64_t value, std::int64_t least,
                        std::int64_t most, std::string_view why) {
  return require(value >= least && value <= most, option, fmt::format("{}", value),
                 fmt::format("it must be between {} and {} ({})", least, most, why));
}

bool OptionRules::time(std::string_view option, Duration value, Duration least, Duration most) {
  return require(
      value >= least && value <= most, option, duration_text(value),
      fmt::format("it must be from {} to {}", duration_text(least), duration_text(most)));
}

bool OptionRules::positive_time(std::string_view option, Duration value) {
  return require(value > Duration::zero() && value <= kLongest, option, duration_text(value),
                 "it must be more than zero and at most 365 days");
}

bool OptionRules::time_or_zero(std::string_view option, Duration value) {
  return require(value >= Duration::zero() && value <= kLongest, option, duration_text(value),
                 "it must be zero or more and at most 365 days");
}

bool OptionRules::time_or_never(std::string_view option, Duration value) {
  return value == Duration::max() || positive_time(option, value);
}

}  // namespace forebay
