// What somebody who mistyped a word probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace forebay {

// The known word that is nearest to the given one; empty if none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace forebay
