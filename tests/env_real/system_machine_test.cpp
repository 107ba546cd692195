#include "forebay/env/real/system_machine.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/detail/env/detached.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::real {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

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
  Result<void> replace(const fs::path& path, const std::string& content) {
    return run_blocking(runtime_->scheduler(),
                        runtime_->machine().write_private_file(path.string(), content));
  }
  Result<ProgramEnd> run(std::vector<std::string> words, Duration limit = 20s) {
    Scheduler& scheduler = runtime_->scheduler();
    return run_blocking(scheduler,
                        runtime_->machine().run_program(std::move(words), scheduler.now() + limit));
  }
  static Task<void> keep(Task<Result<ProgramEnd>> task, std::optional<Result<ProgramEnd>>& kept) {
    kept.emplace(co_await std::move(task));
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

TEST_F(SystemMachineTest, WritesAFileThatOnlyItsOwnerReads) {
  const fs::path path = write("secret", "old");

  ASSERT_TRUE(replace(path, "new").has_value());

  EXPECT_EQ(read(path).value(), "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(SystemMachineTest, SaysWhyAFileCannotBeWritten) {
  const fs::path path = folder_ / "absent" / "file";

  const Result<void> written = replace(path, "new");

  EXPECT_EQ(written.error().text(),
            path.string() + " cannot be written: No such file or directory");
}

TEST_F(SystemMachineTest, RunsAProgramToItsEnd) {
  const ProgramEnd end =
      run({"/bin/sh", "-c", "echo \"$1\"; echo $FOREBAY_TEST_SET >&2; exit 3", "name", "a  b"})
          .value();

  EXPECT_EQ(end.status, 3);
  EXPECT_EQ(end.out, "a  b\n");
  EXPECT_EQ(end.err, "value=1\n");
  EXPECT_EQ(run({"true"}).value().status, 0);
}

// A signal that we block, and descriptors that we hold, are none of its business.
TEST_F(SystemMachineTest, AProgramStartsWithACleanSlate) {
  const ProgramEnd end =
      run({"/bin/sh", "-c",
           "ls /proc/self/fd | wc -l; grep -c 'SigBlk:.0000000000000000' /proc/self/status; "
           "test -t 0 || echo no terminal; read line || echo no input"})
          .value();

  // Three of its own, and that of the folder which ls reads.
  EXPECT_EQ(end.out, "4\n1\nno terminal\nno input\n") << end.err;
}

TEST_F(SystemMachineTest, MuchOutputOfBothKindsDoesNotHoldUpAProgram) {
  const ProgramEnd end =
      run({"/bin/sh", "-c", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; echo e >&2"})
          .value();

  EXPECT_EQ(end.out.size(), 300'000u);
  EXPECT_LE(end.err.size(), 4096u);
  EXPECT_TRUE(end.err.ends_with("e\n"));
  EXPECT_EQ(run({"/bin/sh", "-c", "head -c 1100000 /dev/zero"}).error().text(),
            "/bin/sh writes more than 1024 KiB");
}

TEST_F(SystemMachineTest, SaysWhyAProgramCannotBeStarted) {
  EXPECT_EQ(run({"/nonexistent/program", "secret"}).error().text(),
            "/nonexistent/program cannot be started: No such file or directory");
  EXPECT_EQ(run({write("plain", "x").string()}).error().code(), Errc::invalid);
}

TEST_F(SystemMachineTest, AProgramThatHangsIsEndedWithAllThatItStarted) {
  const fs::path pid = folder_ / "pid";
  const Result<ProgramEnd> end =
      run({"/bin/sh", "-c", "sleep 1000 & echo $! > " + pid.string() + "; wait"}, 300ms);

  EXPECT_EQ(end.error().code(), Errc::timed_out);
  EXPECT_EQ(end.error().text(), "/bin/sh was not done in time, and was ended");
  const std::string child = "/proc/" + std::string(trimmed(read(pid).value())) + "/cmdline";
  const auto is_running = [&child] {
    std::string words;
    std::ifstream(child) >> words;
    return !words.empty();
  };
  // A signal takes a moment on a machine that is busy.
  const auto limit = std::chrono::steady_clock::now() + 20s;
  while (is_running() && std::chrono::steady_clock::now() < limit) std::this_thread::sleep_for(5ms);
  EXPECT_FALSE(is_running());
}

TEST_F(SystemMachineTest, ARuntimeThatEndsDoesNotWaitForAProgram) {
  std::optional<Result<ProgramEnd>> end;
  const auto start = std::chrono::steady_clock::now();
  Scheduler& scheduler = runtime_->scheduler();
  std::vector<std::string> words{"sleep", "1000"};
  start_detached(scheduler, keep(runtime_->machine().run_program(words, kNever), end));
  run({"true"}).value();

  runtime_.reset();

  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

}  // namespace
}  // namespace forebay::real
