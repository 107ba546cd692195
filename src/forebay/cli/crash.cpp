#include "forebay/cli/crash.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include <signal.h>
#include <unistd.h>

#include "forebay/detail/base/check.hpp"

namespace forebay::cli {
namespace {

constexpr std::array<int, 6> kCrashes = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGQUIT};

// A handler can reach nothing but globals.
std::array<std::atomic<CrashAction>, 4> actions;
thread_local const CrashNote* current_note = nullptr;

// The handler is gone once it runs: raise() ends the process.
void act_and_crash(int signal) {
  for (const std::atomic<CrashAction>& slot : actions) {
    const CrashAction action = slot.load();
    if (action != nullptr) action();
  }
  ::raise(signal);
}

void handle_crashes(bool is_wanted) {
  struct sigaction action{};
  action.sa_handler = is_wanted ? &act_and_crash : SIG_DFL;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int crash : kCrashes) ::sigaction(crash, &action, nullptr);
}

auto find(CrashAction action) {
  return std::ranges::find_if(
      actions, [action](const std::atomic<CrashAction>& slot) { return slot.load() == action; });
}

}  // namespace

void add_crash_action(CrashAction action) {
  const auto free = find(nullptr);
  FOREBAY_CHECK(free != actions.end(), "too many crash actions");
  free->store(action);
  handle_crashes(true);
}

void remove_crash_action(CrashAction action) {
  const auto found = find(action);
  FOREBAY_CHECK(found != actions.end(), "no such crash action");
  found->store(nullptr);
  const bool is_needed = std::ranges::any_of(
      actions, [](const std::atomic<CrashAction>& slot) { return slot.load() != nullptr; });
  if (!is_needed) handle_crashes(false);
}

CrashNote::CrashNote(std::string text) : text_(std::move(text)) {
  FOREBAY_CHECK(current_note == nullptr, "one CrashNote at a time");
  current_note = this;
}

CrashNote::~CrashNote() { current_note = nullptr; }

void write_crash_note() {
  if (current_note == nullptr) return;
  const ssize_t written =
      ::write(STDERR_FILENO, current_note->text_.data(), current_note->text_.size());
  static_cast<void>(written);  // there is nothing left to try
}

}  // namespace forebay::cli
