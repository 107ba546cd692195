// DescriptorParker: lets a thread sleep until a descriptor can be read that another thread names
// while it sleeps, or until another ends its sleep, or until a deadline.
//
// Each thread has one at most, which is a descriptor of the system, from the moment in which it is
// first asked for; when the thread ends, it is the next one's. end() is for another thread, once
// for each sleep that has not been given up, and its last word: the sleeper may go on, and end,
// before it returns. The rest is for the thread itself.
#pragma once

#include <cstdint>

#include "forebay/base/fork_mark.hpp"
#include "forebay/env/scheduler.hpp"

namespace forebay {

class DescriptorParker {
 public:
  // So many threads of a process have one, so that its descriptors are left to others.
  static constexpr int kMost = 256;

  // Null: so many have one already, or the system gives no descriptor.
  static DescriptorParker* of_this_thread();

  DescriptorParker(const DescriptorParker&) = delete;
  DescriptorParker& operator=(const DescriptorParker&) = delete;

  // The sleep ends when that descriptor can be read; below zero: now.
  void end(int descriptor);

  // True: another thread has ended it. False: the deadline has passed.
  bool sleep_until(const Scheduler& clock, Instant deadline);
  // After the deadline, for a sleep that is about to be ended like that all the same. True: it has
  // been, and the next may begin.
  bool take_end(int descriptor);

 private:
  struct Own;

  DescriptorParker();
  ~DescriptorParker();
  static DescriptorParker* make();
  bool take_event(int milliseconds);

  const ForkMark process_;
  int epoll_ = -1;
  bool works_ = false;
};

}  // namespace forebay
