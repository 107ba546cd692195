// What was worth keeping of what libFuzzer tried (tests/fuzz/corpus), tried again in every build.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "support/places.hpp"
#include "support/sql_fuzz.hpp"

namespace forebay::test {
namespace {

TEST(SqlCorpusTest, EveryFileHoldsStill) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           forebay::test::source_file("tests/fuzz/corpus/standin_sql_fuzz"))) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    SCOPED_TRACE(entry.path());
    fuzz_standin_sql(bytes);
    // Cut short anywhere, and with one byte changed.
    for (std::size_t size = 0; size < bytes.size(); ++size) fuzz_standin_sql(bytes.substr(0, size));
    for (std::size_t place = 0; place < bytes.size(); ++place) {
      std::string changed = bytes;
      changed[place] = static_cast<char>(~changed[place]);
      fuzz_standin_sql(changed);
    }
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace forebay::test
