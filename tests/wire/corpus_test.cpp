// What was worth keeping of what libFuzzer tried (tests/fuzz/corpus), tried again in every build.
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include <gtest/gtest.h>

#include "support/places.hpp"
#include "support/wire_fuzz.hpp"

namespace forebay::test {
namespace {

TEST(WireCorpusTest, EveryFileHoldsStill) {
  const std::map<std::string, std::function<void(std::string_view)>> targets{
      {"wire_frames_fuzz", fuzz_wire_frames},
      {"wire_startup_fuzz", fuzz_wire_startup},
      {"wire_client_messages_fuzz", fuzz_wire_client_messages},
      {"wire_server_messages_fuzz", fuzz_wire_server_messages},
      {"wire_authentication_fuzz", fuzz_wire_authentication},
      {"wire_secrets_fuzz", fuzz_wire_secrets}};
  for (const auto& [name, target] : targets) {
    const std::filesystem::path folder =
        std::filesystem::path(test::source_file("tests/fuzz/corpus"));
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / name)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(file), {});
      SCOPED_TRACE(entry.path());
      target(bytes);
      // Cut short anywhere, and with one byte changed.
      for (std::size_t size = 0; size < bytes.size(); ++size) target(bytes.substr(0, size));
      for (std::size_t place = 0; place < bytes.size(); ++place) {
        std::string changed = bytes;
        changed[place] = static_cast<char>(~changed[place]);
        target(changed);
      }
      ++files;
    }
    EXPECT_GT(files, 0) << name;
  }
}

}  // namespace
}  // namespace forebay::test
