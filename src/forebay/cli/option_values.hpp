// Values of options, from the words of the command line. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/number_text.hpp"
#include "forebay/env/time.hpp"

namespace forebay::cli {

// Each says what is wrong, and returns something harmless then.
int whole_number(std::string_view option, std::string_view text, int otherwise,
                 std::vector<std::string>& problems);
int number_between(std::string_view option, std::string_view text, int least, int most,
                   std::vector<std::string>& problems);
Duration time_value(std::string_view option, std::string_view text, Duration otherwise,
                    std::vector<std::string>& problems);
Duration time_between(std::string_view option, std::string_view text, Duration least, Duration most,
                      std::vector<std::string>& problems);

}  // namespace forebay::cli
