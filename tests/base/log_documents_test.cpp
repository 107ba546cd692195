// docs/logs.md explains every message that the library can log, and none that it cannot.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/places.hpp"

namespace forebay::log {
namespace {

std::string log_text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Literals where an event is written, and the pairs of Words of pool_log.cpp.
std::set<std::string> messages_in(const std::string& code) {
  static const std::regex call(R"re(log::(?:debug|info|warning|error)\(\s*"([^"]+)")re");
  static const std::regex words(R"re(Words k\w+\{"([^"]+)",\s*"([^"]+)"\})re");
  std::set<std::string> found;
  for (std::sregex_iterator i(code.begin(), code.end(), call), end; i != end; ++i)
    found.insert((*i)[1]);
  for (std::sregex_iterator i(code.begin(), code.end(), words), end; i != end; ++i) {
    found.insert((*i)[1]);
    found.insert((*i)[2]);
  }
  return found;
}

std::set<std::string> messages_of_the_library() {
  std::set<std::string> messages;
  for (const char* const folder : {"src/forebay", "include/forebay"}) {
    const std::string root = test::source_file(folder);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const std::filesystem::path& path = entry.path();
      const bool is_code = path.extension() == ".cpp" || path.extension() == ".hpp";
      if (is_code && !path.string().ends_with("base/log.hpp"))
        messages.merge(messages_in(log_text_of(path)));
    }
  }
  return messages;
}

// The second column of the tables: | level | `message` | ...
std::set<std::string> documented_messages() {
  static const std::regex row(R"(\n\| [a-z, ]+ \| `([^`]+)` \|)");
  const std::string page = log_text_of(test::source_file("docs/logs.md"));
  std::set<std::string> found;
  for (std::sregex_iterator i(page.begin(), page.end(), row), end; i != end; ++i)
    found.insert((*i)[1]);
  return found;
}

// What a pool says of another server than DSQL: the same without the name.
std::string without_dsql(std::string message) {
  const std::string name = "DSQL ";
  const std::size_t place = message.find(name);
  if (place == std::string::npos) return message;
  message.erase(place, name.size());
  message[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(message[0])));
  return message;
}

TEST(LogDocumentsTest, EveryMessageIsExplainedAndNoOther) {
  const std::set<std::string> messages = messages_of_the_library();
  const std::set<std::string> documented = documented_messages();
  std::set<std::string> of_other_servers;
  for (const std::string& message : documented) of_other_servers.insert(without_dsql(message));

  EXPECT_GE(messages.size(), 25u);
  for (const std::string& message : messages) {
    // What pools without a reservoir say is explained together with what reservoirs do.
    if (of_other_servers.contains(message)) continue;
    const bool is_of_pool = message.starts_with("Pool");
    const std::string explained = is_of_pool ? "Reservoir" + message.substr(4) : message;
    EXPECT_TRUE(documented.contains(explained)) << message << " is missing in docs/logs.md";
  }
  for (const std::string& message : documented)
    EXPECT_TRUE(messages.contains(message)) << message << " is in docs/logs.md, and nobody says it";
}

}  // namespace
}  // namespace forebay::log
