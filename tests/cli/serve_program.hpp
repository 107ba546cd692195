// "forebay serve" as a program, and psql as its client.
#pragma once

#include <cstdio>

#include "cli/program.hpp"

namespace forebay::cli {

// What the program has said of itself, behind those words; empty: it ended, or never did.
inline std::string told_behind(Program& program, const std::string& words) {
  for (int i = 0; i < 12'000 && program.wait(1ms) < 0; ++i) {
    const std::string err = program.err();
    const std::size_t at = err.find(words);
    const std::size_t end = err.find('\n', at);
    if (at != std::string::npos && end != std::string::npos)
      return err.substr(at + words.size(), end - at - words.size());
    std::this_thread::sleep_for(5ms);
  }
  return "";
}

inline std::string psql(const std::string& port, const std::vector<std::string>& words) {
  std::string command = "psql -X -h 127.0.0.1 -p " + port;
  for (const std::string& word : words) command += " '" + word + "'";
  command += " 2>&1";
  std::string text;
  FILE* const output = ::popen(command.c_str(), "r");
  char part[256];
  while (std::fgets(part, sizeof part, output) != nullptr) text += part;
  ::pclose(output);
  return text;
}

}  // namespace forebay::cli
