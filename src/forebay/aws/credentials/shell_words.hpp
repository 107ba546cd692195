// A command line taken apart as a POSIX shell would, pure: blanks divide words, quotes and
// backslashes hide them. Nothing is put in: no variables, no names of files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace forebay::aws {

// Nothing: a quote is not closed, or nothing follows a backslash.
std::optional<std::vector<std::string>> shell_words(std::string_view line);

}  // namespace forebay::aws
