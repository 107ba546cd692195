// A timer that writes its number down when it fires.
#pragma once

#include <vector>

#include "forebay/env/scheduler.hpp"

namespace forebay::test {

class NotingTimer : public Timer {
 public:
  NotingTimer(std::vector<int>& notes, int number) : Timer(&note), notes_(notes), number_(number) {}

 private:
  static void note(Timer& timer) {
    NotingTimer& self = static_cast<NotingTimer&>(timer);
    self.notes_.push_back(self.number_);
  }
  std::vector<int>& notes_;
  int number_;
};

}  // namespace forebay::test
