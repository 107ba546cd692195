// docs/architecture.md lists every thread that the library starts, and none that it does not.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace forebay {
namespace {

// A file without the word is not searched any further.
std::set<std::string> names_in(const std::filesystem::path& path, const std::string& word,
                               const std::regex& pattern) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string> found;
  if (!text.contains(word)) return found;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i)
    found.insert((*i)[1]);
  return found;
}

TEST(ArchitecturePageTest, ListsEveryThreadAndNoOther) {
  const std::string root = FOREBAY_SOURCE;
  static const std::regex start(R"re(start_thread(?:_or_stop)?\(\s*"([^"]+)")re");
  std::set<std::string> started;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/src/forebay"))
    if (entry.path().extension() == ".cpp")
      started.merge(names_in(entry.path(), "start_thread", start));

  // Those of the loops are numbered.
  static const std::regex listed(R"(`(forebay-[a-z]+)`)");
  EXPECT_GE(started.size(), 4u);
  EXPECT_EQ(names_in(root + "/docs/architecture.md", "forebay-", listed), started);
}

}  // namespace
}  // namespace forebay
