// The system's errors that mean: nothing is heard of the other side any more, nor of its machine.
// After all others it has said that it is gone.
#pragma once

#include <array>
#include <cerrno>

namespace forebay {

inline constexpr std::array kErrorsOfSilence{ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN,
                                             EHOSTDOWN};

}  // namespace forebay
