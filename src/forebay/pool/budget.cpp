#include "forebay/pool/budget.hpp"

#include <algorithm>

namespace forebay {

void Budget::set_max(int max) {
  capacity_.set_max(max);
  wake_starved();
}

void Budget::wake_when_roomy(Signal& signal) {
  {
    MutexLock lock(mutex_);
    if (std::ranges::find(starved_, &signal) == starved_.end()) starved_.push_back(&signal);
  }
  // What was given back before we stood in the list woke nobody.
  if (capacity_.room() > 0) wake_starved();
}

void Budget::forget(Signal& signal) {
  MutexLock lock(mutex_);
  std::erase(starved_, &signal);
}

// Under the lock, so that no signal dies between being found here and being notified.
void Budget::wake_starved() {
  MutexLock lock(mutex_);
  for (Signal* signal : starved_) signal->notify();
  starved_.clear();
}

}  // namespace forebay
