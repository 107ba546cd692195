// The real program, started as a shell would start it, with its output in files.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/places.hpp"

#ifndef FOREBAY_PROGRAM  // another one in the folder of the build
#define FOREBAY_PROGRAM "forebay"
#endif
namespace forebay::cli {

using namespace std::chrono_literals;

// Long enough for a busy machine under a sanitizer, short enough to fail a test.
inline constexpr std::chrono::seconds kPatience{60};

inline std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline const std::string kProgram = test::built_file(FOREBAY_PROGRAM);

// A file of tests/cli/data.
inline std::string data_file(const std::string& name) {
  return test::source_file("tests/cli/data/" + name);
}

// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string path = (std::filesystem::temp_directory_path() / "forebay-cli-XXXXXX").string();
    path_ = ::mkdtemp(path.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class Program {
 public:
  explicit Program(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& variables = {}) {
    std::vector<std::string> texts{kProgram};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char*> words = pointers(texts);
    std::vector<std::string> settings = variables;
    // The suite's own settings, a number of seeds say, would be taken for unknown ones of the
    // command.
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string_view text(*variable);
      if (!text.starts_with("FOREBAY_") && !text.starts_with("DSQL_")) settings.emplace_back(text);
    }
    std::vector<char*> environment = pointers(settings);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    redirect(files, STDOUT_FILENO, "out");
    redirect(files, STDERR_FILENO, "err");
    const int error =
        ::posix_spawn(&pid_, words[0], &files, nullptr, words.data(), environment.data());
    posix_spawn_file_actions_destroy(&files);
    EXPECT_EQ(error, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (status_) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  // The exit code; 128 + signal if it was killed, -1 if it still runs.
  int wait(std::chrono::milliseconds limit = kPatience) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!status_ && std::chrono::steady_clock::now() < deadline) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      } else {
        std::this_thread::sleep_for(5ms);
      }
    }
    return status_.value_or(-1);
  }
  void send(int signal) const { ::kill(pid_, signal); }
  pid_t pid() const { return pid_; }
  std::string out() const { return text_of(folder_.path() / "out"); }
  std::string err() const { return text_of(folder_.path() / "err"); }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  }
  void redirect(posix_spawn_file_actions_t& files, int descriptor, const char* name) const {
    posix_spawn_file_actions_addopen(&files, descriptor, (folder_.path() / name).c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  }

  Folder folder_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

// The processes whose parent this is.
inline std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const std::string stat = text_of(entry.path() / "stat");  // "pid (name) state parent …"
    const std::size_t name_end = stat.rfind(") ");
    if (name_end == std::string::npos) continue;
    if (std::atoi(stat.c_str() + name_end + 4) == parent) children.push_back(pid);
  }
  return children;
}

}  // namespace forebay::cli
