// How the words of a file and of the environment become settings. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "forebay/config/setting.hpp"
#include "forebay/yaml/field.hpp"

namespace forebay::config {

// What a file says of a setting, in the words in which the environment would. Nothing, and a
// problem of the file: it is not what the setting can be.
std::optional<std::string> word_of(const Setting& setting, const yaml::Field& field);

// Reads the word into the settings; or says what is wrong with it. Of the database's settings it
// shows numbers only: a word that is none of the kind that is expected may be a password in the
// wrong place.
std::optional<std::string> problem_of(const Setting& setting, std::string_view word,
                                      Settings& settings);

}  // namespace forebay::config
