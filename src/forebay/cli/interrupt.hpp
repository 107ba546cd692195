// Interrupt: the wish of the user or the system that this program ends (SIGINT, SIGTERM, SIGHUP),
// as something to wait for instead of a handler.
//
// One at a time, made on the main thread before any other thread, so that all of them inherit the
// mask which keeps the signals for this object. Once one has been seen, the next takes its usual
// course and ends the process at once.
#pragma once

#include <chrono>

#include <signal.h>

namespace forebay::cli {

class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  // Also listens to a terminal in which Ctrl-C is a key like any other. q ends too.
  void listen_to_keys(int terminal) { keys_ = terminal; }

  // Waits that long at most. True: the program should end, now or since an earlier call.
  bool wait(std::chrono::milliseconds limit);

 private:
  void read_keys();

  sigset_t before_{};
  int signals_ = -1;
  int keys_ = -1;
  bool is_requested_ = false;
};

}  // namespace forebay::cli
