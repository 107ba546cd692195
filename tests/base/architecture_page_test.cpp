// docs/architecture.md lists every thread that the library starts and every folder, and no other.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/places.hpp"

namespace forebay {
namespace {

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> names_in(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i)
    found.insert((*i)[1]);
  return found;
}

TEST(ArchitecturePageTest, ListsEveryThreadAndNoOther) {
  const std::string root = test::source_file("");
  static const std::regex start(R"re(start_thread(?:_or_stop)?\(\s*"([^"]+)")re");
  std::set<std::string> started;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/src/forebay")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = file_text(entry.path());
    if (text.contains("start_thread")) started.merge(names_in(text, start));
  }

  // Those of the loops are numbered.
  static const std::regex listed(R"(`(forebay-[a-z]+)`)");
  EXPECT_GE(started.size(), 4u);
  EXPECT_EQ(names_in(file_text(root + "/docs/architecture.md"), listed), started);
}

// Folders of src/forebay, and some that lie beside it. Those within a folder may have a row.
TEST(ArchitecturePageTest, ListsEveryFolderAndNoOther) {
  const std::filesystem::path root = test::source_file("");
  const std::string page = file_text(root / "docs/architecture.md");
  const std::size_t begin = page.find("\n## 2. ");
  const std::size_t end = page.find("\n## 3. ");
  ASSERT_LT(begin, end);
  static const std::regex row(R"(\n\| `([a-z/]+)` \|)");
  const std::set<std::string> listed = names_in(page.substr(begin, end - begin), row);

  for (const auto& entry : std::filesystem::directory_iterator(root / "src/forebay")) {
    const std::string folder = entry.path().filename();
    EXPECT_TRUE(!entry.is_directory() || listed.contains(folder)) << folder << " has no row";
  }
  for (const std::string& folder : listed)
    EXPECT_TRUE(is_directory(root / "src/forebay" / folder) || is_directory(root / folder))
        << "there is no folder " << folder;
}

}  // namespace
}  // namespace forebay
