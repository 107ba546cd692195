// The rules of a configuration that concern more than how a single value is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/config/configuration.hpp"
#include "forebay/config/origins.hpp"
#include "forebay/config/settings.hpp"

namespace forebay::config {

// Puts right what older services put right without a word, and says so, one sentence each.
std::vector<std::string> adjust(Settings& settings, Origins& origins);

// Everything that is wrong, one sentence each: which setting, its value, what would be right.
// Nothing is said of a setting that was refused already.
std::vector<std::string> problems(const Settings& settings, const Configuration& configuration,
                                  const Origins& origins);

// The setting that says how long connections live.
std::string_view key_of_lifetime(const Settings& settings);

// The pool's options as they hold for the server that the configuration names.
PoolOptions pool_at_server(const Configuration& configuration);

// What would work, but hardly as meant.
std::vector<std::string> doubts(const Settings& settings, const Configuration& configuration,
                                const Origins& origins);

}  // namespace forebay::config
