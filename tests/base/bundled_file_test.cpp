// Files that the build puts into a program arrive there as they are.
#include "forebay/base/bundled_file.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "support/places.hpp"

namespace forebay {

std::vector<BundledFile> bundled_for_test();

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(test::source_file(path), std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(BundledFileTest, AStrangeFileIsTheSameByteByByte) {
  const std::vector<BundledFile> files = bundled_for_test();

  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].name, "strange.txt");
  EXPECT_EQ(files[0].text, contents("tests/base/strange.txt"));
}

TEST(BundledFileTest, ALongFileIsTheSameByteByByte) {
  const std::vector<BundledFile> files = bundled_for_test();

  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[1].name, "architecture.md");
  EXPECT_GT(files[1].text.size(), 16'000u);
  EXPECT_EQ(files[1].text, contents("docs/architecture.md"));
}

}  // namespace
}  // namespace forebay
