// Files and small scenarios for the tests of scenario files.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/places.hpp"

namespace forebay::sim {

inline std::filesystem::path source_folder() { return test::source_file(""); }

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The smallest scenario with further lines at its top. The first of them is line 2.
inline std::string small_scenario(const std::string& lines) {
  return "services: [{name: api}]\n" + lines;
}

// A scenario whose one service has these lines. The first of them is line 3.
inline std::string one_service(const std::string& lines) {
  std::string text = "services:\n  - name: api\n";
  std::istringstream all(lines);
  for (std::string line; std::getline(all, line);) text += "    " + line + "\n";
  return text;
}

}  // namespace forebay::sim
