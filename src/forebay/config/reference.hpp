// The reference of configurations as a Markdown page: docs/configuration.md is its output.
#pragma once

#include <string>
#include <string_view>

namespace forebay::config {

std::string reference();

// The files that the reference shows.
std::string_view example_file();
std::string_view example_file_of_routes();

}  // namespace forebay::config
