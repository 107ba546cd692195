// What is compressed here is read by the gzip of the system.
#include "forebay/env/real/gzip.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "forebay/embedded/server_files.hpp"

namespace forebay::real {
namespace {

std::string unzipped(const std::string& zipped) {
  const auto folder = embedded::TemporaryFolder::make(std::nullopt, "forebay-gzip");
  EXPECT_TRUE(folder.has_value());
  const std::filesystem::path file = (*folder)->path() / "page.gz";
  std::ofstream(file, std::ios::binary) << zipped;
  embedded::Command command;
  command.words = {"/usr/bin/env", "gzip", "-dc", file.string()};
  command.output = (*folder)->path() / "page";
  const Result<void> done = embedded::run_to_end(command, std::chrono::seconds(30));
  EXPECT_TRUE(done.has_value()) << done.error().text();
  return embedded::read_file(command.output);
}

TEST(GzipTest, TheSystemsGzipReadsIt) {
  std::string page;
  for (int i = 0; i < 20'000; ++i)
    page += "dsql_pool_open{service=\"orders\",pool=\"p-" + std::to_string(i) + "\"} 3\n";
  for (const std::string& text : {std::string(), std::string("a"), std::string(70'000, '\0'), page})
    EXPECT_EQ(unzipped(gzipped(text)), text) << text.size();
  EXPECT_LT(gzipped(page).size(), page.size() / 5);
}

TEST(GzipTest, WhatCannotBeCompressedHardlyGrows) {
  std::string noise;
  std::uint64_t state = 1;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    noise += static_cast<char>(state >> 56);
  }
  const std::string zipped = gzipped(noise);
  EXPECT_LT(zipped.size(), noise.size() + noise.size() / 100);
  EXPECT_EQ(unzipped(zipped), noise);
}

}  // namespace
}  // namespace forebay::real
