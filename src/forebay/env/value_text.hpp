// Values as people type them in files and variables: what they mean, or a sentence that says what
// is wrong and what would be right. Pure.
#pragma once

#include <cstddef>
#include <expected>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/env/time.hpp"

namespace forebay {

template <class T>
using ReadValue = std::expected<T, std::string>;

ReadValue<bool> bool_value(std::string_view word);  // true, yes, on, t, 1 and their opposites
ReadValue<int> whole_value(std::string_view word, int least = std::numeric_limits<int>::min(),
                           int most = std::numeric_limits<int>::max());
ReadValue<double> number_value(std::string_view word);
ReadValue<Duration> time_value(std::string_view word);  // it may be negative
// Separated by commas, without the blanks around them; a word without any is no name.
ReadValue<std::vector<std::string>> names_value(std::string_view word);
// Its place among the words.
ReadValue<std::size_t> choice_value(std::string_view word, const std::vector<std::string>& words);

}  // namespace forebay
