// Machine: what code may learn from the machine it runs on, besides the time, and the little that
// it may do there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

// How a program ended, and what it wrote. Has a constructor because coroutines take it by value.
class ProgramEnd {
 public:
  ProgramEnd(int exit_status, std::string output, std::string errors)
      : status(exit_status), out(std::move(output)), err(std::move(errors)) {}

  int status;       // 128 and the number of the signal, if one ended it
  std::string out;  // what it wrote to its standard output
  std::string err;  // the end of what it wrote to its standard error
};

class Machine {
 public:
  virtual ~Machine() = default;
  // An environment variable, as it was when the process started. One that is empty is not set.
  virtual std::optional<std::string> variable(std::string_view name) const = 0;
  // Those that are set and begin so, in alphabetical order.
  virtual std::vector<std::string> variables_that_begin_with(std::string_view prefix) const = 0;
  // A small file, whole. For tasks of the scheduler, which it does not block. Errc::invalid: there
  // is no such file, or it cannot be read, and why.
  virtual Task<Result<std::string>> read_file(std::string path) = 0;
  // Puts a file there, or another in its place, whole or not at all, that nobody but its owner can
  // read. For tasks of the scheduler. Errc::invalid: it cannot be written, and why.
  virtual Task<Result<void>> write_private_file(std::string path, std::string content) = 0;
  // Runs a program to its end, without a shell: the first word is its path, or a name to be looked
  // for on PATH. It has no input and no terminal. For tasks of the scheduler, which it does not
  // block. Errors: invalid (it cannot be started, or writes too much), timed_out (it was killed at
  // the deadline), closed.
  virtual Task<Result<ProgramEnd>> run_program(std::vector<std::string> words,
                                               Instant deadline) = 0;
};

}  // namespace forebay
