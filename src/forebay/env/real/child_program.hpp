// run_child(): a program, started without a shell and waited for.
//
// It runs in a session of its own, without input and without a terminal, so that one that wants to
// ask a person ends instead of waiting. It inherits no descriptors and no blocked signals. What is
// not over in time is killed, with all that it started itself.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "forebay/env/machine.hpp"

namespace forebay::real {

struct ChildProgram {
  std::vector<std::string> words;      // a path, or a name to be looked for on PATH; arguments
  std::vector<std::string> variables;  // as NAME=value
};

// Blocks. Errors as those of Machine::run_program(); closed: is_stopped became true.
Result<ProgramEnd> run_child(const ChildProgram& program, Duration limit,
                             const std::atomic<bool>& is_stopped);

}  // namespace forebay::real
