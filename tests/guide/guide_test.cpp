// Every block of the guide does what the guide says, on a server of its own.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "forebay/embedded/postgres_server.hpp"
#include "support/places.hpp"

namespace forebay::test {
namespace {

namespace fs = std::filesystem;
using embedded::ChildProcess;
using embedded::Command;

const fs::path kBlocks = built_file("tests/guide/blocks");
const fs::path kPrograms = built_file("tests/guide");
const std::string kForebay = built_file("forebay");

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class GuideTest : public testing::Test {
 protected:
  void SetUp() override {
    auto launched = embedded::PostgresServer::launch();
    ASSERT_TRUE(launched.has_value()) << launched.error().text();
    server_ = std::move(*launched);
  }

  // What it printed; a failure if it did not end well.
  std::string run(std::vector<std::string> words) {
    const fs::path output =
        fs::temp_directory_path() / ("forebay-guide-" + std::to_string(server_->port()) + ".out");
    Command command{std::move(words), std::nullopt, output};
    command.variables = {"DATABASE_URL=" + server_->superuser_url(), "FOREBAY=" + kForebay};
    Result<ChildProcess> child = ChildProcess::start(command);
    EXPECT_TRUE(child.has_value());
    const std::optional<int> status = child->wait(std::chrono::seconds(60));
    const std::string printed = read(output);
    fs::remove(output);
    EXPECT_EQ(status, 0) << command.words.front() << " printed:\n" << printed;
    return printed;
  }

  void check(const fs::path& block) {
    SCOPED_TRACE(block.filename().string());
    fs::path expected = block;
    expected.replace_extension(".txt");
    std::string printed;
    if (block.extension() == ".cpp") {
      printed = run({(kPrograms / block.stem()).string()});
    } else if (block.extension() == ".yaml") {
      printed = run({kForebay, "config", "check", block.string()});
    } else if (block.extension() == ".hpp") {
      return;  // what programs include is tested with them
    } else if (block.extension() == ".sh") {
      printed = run({"/bin/bash", "-eu", block.string()});
    } else {
      fs::path program = block;
      fs::path script = block;
      ASSERT_TRUE(fs::exists(program.replace_extension(".cpp")) ||
                  fs::exists(script.replace_extension(".sh")))
          << "the words of no program";
      return;
    }
    if (fs::exists(expected)) {
      EXPECT_EQ(printed, read(expected));
    }
  }

  std::unique_ptr<embedded::PostgresServer> server_;
};

// In the order of their names, one after the other, on one server.
TEST_F(GuideTest, EveryBlockWorks) {
  std::vector<fs::path> blocks;
  for (const auto& entry : fs::directory_iterator(kBlocks)) blocks.push_back(entry.path());
  std::ranges::sort(blocks);
  EXPECT_GE(blocks.size(), 8u) << "the guide has lost its blocks";
  for (const fs::path& block : blocks) check(block);
}

}  // namespace
}  // namespace forebay::test
