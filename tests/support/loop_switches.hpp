// How often the threads of a runtime's loops have woken up, as the kernel counts it: each wait that
// began is one voluntary switch.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace forebay::test {

inline std::string first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// Of all threads with that name in this process.
inline long switches_of(const std::string& thread_name) {
  static const std::string kField = "voluntary_ctxt_switches:";
  long sum = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    if (first_line(thread.path() / "comm") != thread_name) continue;
    std::ifstream status(thread.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with(kField)) sum += std::stol(line.substr(kField.size()));
  }
  return sum;
}

}  // namespace forebay::test
