// RecoveryWatch: from the end of a fault everybody who should be up has to be full once.
#pragma once

#include <vector>

#include "forebay/sim/director.hpp"

namespace forebay::sim {

class RecoveryWatch {
 public:
  // It writes into the director's marks how long each recovery took.
  RecoveryWatch(Director& director, const Director::Processes& processes)
      : director_(director), processes_(processes) {}

  // To be asked when the director may have done something: faults may have ended, and processes
  // that are not wanted any more are not waited for.
  void look(Instant now);
  // To be told after every step of a process.
  void note(const Process& process, Instant now) {
    if (!recoveries_.empty()) note_full(process, now);
  }

  // Processes that were full only later than that after the end of some fault, or not at all. A
  // fault from which the run had no time to recover is not judged.
  std::vector<std::string> later_than(Duration within, Duration end_of_run);

 private:
  // A fault that has ended, and the processes that have not been full again since.
  struct Recovery {
    std::size_t mark = 0;
    std::vector<const Process*> missing;
  };
  void note_full(const Process& process, Instant now);

  Director& director_;
  const Director::Processes& processes_;
  std::vector<Recovery> recoveries_;
  std::vector<bool> is_watched_;   // by the number of the fault's mark
  std::vector<Duration> slowest_;  // recovery of each process
};

}  // namespace forebay::sim
