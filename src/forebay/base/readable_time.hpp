// Times that were measured, for the eye: in logs, in errors and on the screen. What people set is
// written exactly instead: see duration_text().
#pragma once

#include <chrono>
#include <string>

namespace forebay {

// Three digits at most, as in 950ns, 12.3ms or 30s; from a minute on whole seconds, as in 11m0s or
// 1h0m30s. "unlimited" for the longest there is.
std::string readable_time(std::chrono::nanoseconds time);

}  // namespace forebay
