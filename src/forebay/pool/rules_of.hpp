// What the options of a pool mean to those who decide about it.
#pragma once

#include "forebay/core/pool_rules.hpp"
#include "forebay/pool/options.hpp"

namespace forebay {

// REQUIRES: problems(options) is empty.
PoolRules rules_of(const PoolOptions& options);

}  // namespace forebay
