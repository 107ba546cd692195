// MemberProcesses: real processes that are started, killed and ended by name, and what they have
// said. A test inherits it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/detail/base/check.hpp"
#include "forebay/embedded/server_files.hpp"
#include "forebay/embedded/server_process.hpp"

namespace forebay::test {

using namespace std::chrono_literals;
using embedded::ChildProcess;
using Words = std::vector<std::string>;

class MemberProcesses {
 protected:
  MemberProcesses() = default;
  ~MemberProcesses() { kill_all(); }

  // Words and variables as the program is to find them; what it says goes to our folder.
  void start_process(const std::string& member, Words words, Words variables) {
    embedded::Command command;
    command.words = std::move(words);
    command.output = folder_->path() / (member + ".log");
    command.variables = std::move(variables);
    Result<ChildProcess> started = ChildProcess::start(command);
    FOREBAY_CHECK(started.has_value(), started.error().text());
    members_.erase(member);
    members_.emplace(member, std::move(*started));
  }
  void kill(const std::string& member) {
    members_.at(member).send(SIGKILL);
    members_.at(member).wait(10s);
  }
  void kill_all() {
    for (auto& [name, process] : members_) process.send(SIGKILL);
  }
  // True: it gave everything back.
  bool end(const std::string& member) {
    members_.at(member).send(SIGTERM);
    return members_.at(member).wait(40s) == 0;
  }

  std::string said(const std::string& member) const {
    return embedded::read_file(folder_->path() / (member + ".log"));
  }
  std::string said() const {
    std::string text;
    for (const auto& [name, process] : members_) {
      const std::string all = said(name);
      const std::size_t last = all.rfind("{\"member\"");
      text += last == std::string::npos ? all : all.substr(last);
    }
    return text;
  }
  // A figure of the last line that a member has printed; 0: it has printed none.
  double figure(const std::string& member, const std::string& name) const {
    const std::string text = said(member);
    const std::string key = "\"" + name + "\":";
    const std::size_t whole = text.rfind('\n');
    const std::size_t at = whole == std::string::npos ? whole : text.rfind(key, whole);
    return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + key.size(), nullptr);
  }
  double sum(const std::string& name) const {
    double sum = 0;
    for (const auto& [member, process] : members_) sum += figure(member, name);
    return sum;
  }

  std::unique_ptr<embedded::TemporaryFolder> folder_ = make_folder();
  std::map<std::string, ChildProcess> members_;

 private:
  static std::unique_ptr<embedded::TemporaryFolder> make_folder() {
    auto folder = embedded::TemporaryFolder::make(std::nullopt, "forebay-cluster");
    FOREBAY_CHECK(folder.has_value(), folder.error().text());
    return std::move(*folder);
  }
};

}  // namespace forebay::test
