// Files that appear only when they are complete.
#include "forebay/cli/sim/output_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"

namespace forebay::cli {
namespace {

std::size_t count_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                                std::filesystem::directory_iterator()));
}

TEST(OutputFileTest, ItAppearsWhenItIsPublished) {
  const Folder folder;
  const std::string path = (folder.path() / "out").string();
  OutputFile file(path);
  file.stream() << "complete\n";
  EXPECT_TRUE(file.complete());
  EXPECT_FALSE(std::filesystem::exists(path));

  EXPECT_TRUE(file.publish());

  EXPECT_EQ(text_of(path), "complete\n");
  EXPECT_EQ(count_in(folder.path()), 1U);
}

TEST(OutputFileTest, UnpublishedItLeavesNothingAndTheOldOneStays) {
  const Folder folder;
  const std::string path = (folder.path() / "out").string();
  std::ofstream(path) << "old";
  {
    OutputFile file(path);
    file.stream() << "half";
  }

  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(count_in(folder.path()), 1U);
}

TEST(OutputFileTest, ALinkStaysALink) {
  const Folder folder;
  const auto target = folder.path() / "target";
  const auto link = folder.path() / "link";
  std::ofstream(target) << "old";
  std::filesystem::create_symlink(target, link);
  OutputFile file(link.string());
  file.stream() << "new";

  EXPECT_TRUE(file.complete());
  EXPECT_TRUE(file.publish());

  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(text_of(target), "new");
}

TEST(OutputFileTest, AFolderThatWentAwayIsToldWhenItIsComplete) {
  const Folder folder;
  OutputFile file((folder.path() / "gone" / "out").string());
  file.stream() << "text";

  const Result<void> completed = file.complete();

  ASSERT_FALSE(completed);
  EXPECT_THAT(completed.error().text(), testing::HasSubstr("could not be written: No such file"));
}

TEST(OutputFileTest, AskingFirstLeavesNothing) {
  const Folder folder;
  EXPECT_EQ(problem_with_output((folder.path() / "out").string()), std::nullopt);
  EXPECT_EQ(count_in(folder.path()), 0U);
}

}  // namespace
}  // namespace forebay::cli
