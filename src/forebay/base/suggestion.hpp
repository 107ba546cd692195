// What somebody who mistyped a word probably meant, and how to tell them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace forebay {

// The known word that is nearest to the given one; empty if none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// The same for names, in which people confuse more: target_ready, TargetReady and target-ready are
// one name.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

// "; did you mean targetReady?", or what there is to choose from.
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

// A text that somebody typed, fit for a message: in quotes, on one line, not too long.
std::string shown(std::string_view text);

// "hold, local"
std::string joined(const std::vector<std::string>& words);

}  // namespace forebay
