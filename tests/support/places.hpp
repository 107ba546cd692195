// Where the sources and this build are. Only places.cpp is told by CMake: what a definition for all
// sources of a folder says would be compiled again in each clone, whatever the compiler cache
// holds.
#pragma once

#include <string>
#include <string_view>

namespace forebay::test {

std::string source_file(std::string_view path);  // source_file("docs/metrics.md")
std::string built_file(std::string_view path);   // built_file("forebay")

}  // namespace forebay::test
