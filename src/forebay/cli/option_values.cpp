#include "forebay/cli/option_values.hpp"

#include <fmt/format.h>

#include "forebay/cli/secrets.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::cli {

int whole_number(std::string_view option, std::string_view text, int otherwise,
                 std::vector<std::string>& problems) {
  const std::optional<int> number = parse_number<int>(text);
  if (number) return *number;
  problems.push_back(
      fmt::format("{} is {}: it must be a whole number, as in {} 20", option, shown(text), option));
  return otherwise;
}

int number_between(std::string_view option, std::string_view text, int least, int most,
                   std::vector<std::string>& problems) {
  const std::size_t before = problems.size();
  const int number = whole_number(option, text, least, problems);
  if (problems.size() == before && (number < least || number > most)) {
    problems.push_back(
        fmt::format("{} is {}: it must be between {} and {}", option, number, least, most));
  }
  return number;
}

Duration time_value(std::string_view option, std::string_view text, Duration otherwise,
                    std::vector<std::string>& problems) {
  const std::optional<Duration> parsed = parse_duration(text);
  if (parsed) return *parsed;
  problems.push_back(fmt::format(
      "{} is {}: it must be a time with its unit, as in 250ms, 5s, 2m or 1h", option, shown(text)));
  return otherwise;
}

Duration time_between(std::string_view option, std::string_view text, Duration least, Duration most,
                      std::vector<std::string>& problems) {
  const Duration time = time_value(option, text, least, problems);
  if (time < least || time > most) {
    problems.push_back(fmt::format("{} is {}: it must be between {} and {}", option, shown(text),
                                   duration_text(least), duration_text(most)));
  }
  return time;
}

}  // namespace forebay::cli
