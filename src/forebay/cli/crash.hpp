// What is still done when the process crashes (FOREBAY_CHECK, a segmentation fault), where
// destructors do not run: actions, and a note of the thread that crashed.
#pragma once

#include <string>

namespace forebay::cli {

// Calls only what is safe in a signal handler.
using CrashAction = void (*)();

// Main thread only. Four at most. The process then ends as it would have without them.
void add_crash_action(CrashAction action);
void remove_crash_action(CrashAction action);

// While it lives, a crash of this thread writes the text to stderr. One at a time per thread, and
// only while write_crash_note is among the actions.
class CrashNote {
 public:
  explicit CrashNote(std::string text);
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;
  ~CrashNote();

 private:
  friend void write_crash_note();
  const std::string text_;
};
void write_crash_note();

}  // namespace forebay::cli
