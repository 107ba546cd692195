// The pool's names of options, and those that the user of the command line knows.
#pragma once

#include <string>
#include <string_view>

namespace forebay::cli {

// A sentence of problems(PoolOptions) in the words of the command line: "--ready is 30: it must be
// …".
std::string in_words_of_command_line(std::string_view problem);

}  // namespace forebay::cli
