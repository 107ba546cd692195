// FakeMachine: variables, files and programs from maps.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/env/machine.hpp"

namespace forebay::test {

class FakeMachine final : public Machine {
 public:
  std::map<std::string, std::string, std::less<>> variables;
  std::map<std::string, std::string, std::less<>> files;
  std::map<std::string, Result<ProgramEnd>, std::less<>> programs;  // by their first word
  std::vector<std::string> reads;                                   // paths, in order
  std::vector<std::vector<std::string>> runs;                       // words, in order

  std::optional<std::string> variable(std::string_view name) const override {
    const auto found = variables.find(name);
    if (found == variables.end() || found->second.empty()) return std::nullopt;
    return found->second;
  }

  std::vector<std::string> variables_that_begin_with(std::string_view prefix) const override {
    std::vector<std::string> names;
    for (const auto& [name, value] : variables) {
      if (name.starts_with(prefix) && !value.empty()) names.push_back(name);
    }
    return names;
  }

  Task<Result<std::string>> read_file(std::string path) override {
    reads.push_back(path);
    const auto found = files.find(path);
    if (found == files.end()) co_return failure(Errc::invalid, "there is no file " + path);
    co_return found->second;
  }

  Task<Result<void>> write_private_file(std::string path, std::string content) override {
    if (is_read_only) co_return failure(Errc::invalid, path + " cannot be written");
    files[path] = std::move(content);
    co_return Result<void>();
  }

  Task<Result<ProgramEnd>> run_program(std::vector<std::string> words, Instant) override {
    runs.push_back(words);
    const auto found = programs.find(words.front());
    if (found == programs.end())
      co_return failure(Errc::invalid, words.front() + " cannot be started: No such file");
    co_return found->second;
  }

  bool is_read_only = false;
};

}  // namespace forebay::test
