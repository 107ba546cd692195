// SystemMachine: the process's environment, as it was when this was made, files and programs.
//
// Variables are copied once, because reading them is a race with code that sets one. variable() may
// be called from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>

#include "forebay/env/blocking_lane.hpp"
#include "forebay/env/machine.hpp"

namespace forebay::real {

class SystemMachine final : public Machine {
 public:
  // Token and configuration files have a few kilobytes; whatever is larger is the wrong file.
  static constexpr std::size_t kLargestFile = std::size_t{1} << 20;

  SystemMachine(Scheduler& scheduler, BlockingLane& lane);

  std::optional<std::string> variable(std::string_view name) const override;
  std::vector<std::string> variables_that_begin_with(std::string_view prefix) const override;
  Task<Result<std::string>> read_file(std::string path) override;
  Task<Result<void>> write_private_file(std::string path, std::string content) override;
  Task<Result<ProgramEnd>> run_program(std::vector<std::string> words, Instant deadline) override;

  // Ends programs that run, and lets none start any more, so that nobody waits for them at the end
  // of the lane. From any thread.
  void stop_programs() { is_stopped_ = true; }

 private:
  Scheduler& scheduler_;
  BlockingLane& lane_;
  const std::map<std::string, std::string, std::less<>> variables_;
  std::atomic<bool> is_stopped_ = false;
};

}  // namespace forebay::real
