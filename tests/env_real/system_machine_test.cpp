#include "forebay/env/real/system_machine.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::real {
namespace {

namespace fs = std::filesystem;

class SystemMachineTest : public testing::Test {
 protected:
  SystemMachineTest() {
    fs::create_directories(folder_);
    ::setenv("FOREBAY_TEST_SET", "value=1", 1);
    ::setenv("FOREBAY_TEST_EMPTY", "", 1);
    ::unsetenv("FOREBAY_TEST_ABSENT");
    runtime_ = std::make_unique<Runtime>();
  }
  ~SystemMachineTest() override { fs::remove_all(folder_); }

  Result<std::string> read(const fs::path& path) {
    return run_blocking(runtime_->scheduler(), runtime_->machine().read_file(path.string()));
  }
  fs::path write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) /
                           ("forebay_machine_" + std::to_string(::getpid()) + "_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name());
  std::unique_ptr<Runtime> runtime_;
};

TEST_F(SystemMachineTest, NamesOfVariablesAreFoundByTheirBeginning) {
  const std::vector<std::string> found =
      runtime_->machine().variables_that_begin_with("FOREBAY_TEST_");

  EXPECT_EQ(found, std::vector<std::string>{"FOREBAY_TEST_SET"});
}

TEST_F(SystemMachineTest, KnowsTheVariablesAsTheyWereAtTheStart) {
  ::setenv("FOREBAY_TEST_SET", "changed", 1);
  ::setenv("FOREBAY_TEST_ABSENT", "new", 1);

  const Machine& machine = runtime_->machine();

  EXPECT_EQ(machine.variable("FOREBAY_TEST_SET"), "value=1");
  EXPECT_EQ(machine.variable("FOREBAY_TEST_EMPTY"), std::nullopt);
  EXPECT_EQ(machine.variable("FOREBAY_TEST_ABSENT"), std::nullopt);
}

TEST_F(SystemMachineTest, ReadsAFileWhole) {
  const std::string content = std::string("a\0b\n", 4) + std::string(100'000, 'x');

  EXPECT_EQ(read(write("file", content)).value(), content);
  EXPECT_EQ(read(write("empty", "")).value(), "");
}

TEST_F(SystemMachineTest, SaysWhyAFileCannotBeRead) {
  const Result<std::string> absent = read(folder_ / "absent");
  const Result<std::string> folder = read(folder_);
  const Result<std::string> large =
      read(write("large", std::string(SystemMachine::kLargestFile + 1, 'x')));

  EXPECT_EQ(absent.error().code(), Errc::invalid);
  EXPECT_EQ(absent.error().text(),
            (folder_ / "absent").string() + " cannot be read: No such file or directory");
  EXPECT_EQ(folder.error().text(), folder_.string() + " cannot be read: it is not a plain file");
  EXPECT_EQ(large.error().text(),
            (folder_ / "large").string() + " is larger than 1024 KiB; is it the right file?");
  EXPECT_TRUE(read(write("just", std::string(SystemMachine::kLargestFile, 'x'))).has_value());
}

}  // namespace
}  // namespace forebay::real
