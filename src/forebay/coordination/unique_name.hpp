// A name that is never used twice, not even by the next life of the same process.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/env/random.hpp"

namespace forebay {

std::string unique_name(const std::string& name, Random& random);

}  // namespace forebay
