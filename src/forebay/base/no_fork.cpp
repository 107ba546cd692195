#include "forebay/base/no_fork.hpp"

#include <condition_variable>
#include <mutex>
#include <new>

#include <pthread.h>

namespace forebay {
namespace {

struct Fork {
  std::mutex mutex;
  std::condition_variable changed;
  int holders = 0;  // threads
  bool is_near = false;
};

thread_local int depth = 0;

// In memory that nobody destroys: threads may still work while the process exits.
Fork& the_fork();

int own_holds() { return depth > 0 ? 1 : 0; }

// The mutex stays locked from here until the process has been copied.
void prepare() {
  Fork& fork = the_fork();
  std::unique_lock lock(fork.mutex);
  fork.is_near = true;
  fork.changed.wait(lock, [&fork] { return fork.holders == own_holds(); });
  lock.release();
}

void go_on_in_parent() {
  Fork& fork = the_fork();
  fork.is_near = false;
  fork.mutex.unlock();
  fork.changed.notify_all();
}

// Those who wait in it are in the parent: nothing of it can be used again.
void begin_in_child() {
  Fork* const fork = new (&the_fork()) Fork;
  fork->holders = own_holds();
}

Fork& the_fork() {
  alignas(Fork) static unsigned char memory[sizeof(Fork)];
  static Fork* const fork = [] {
    Fork* const made = new (memory) Fork;
    // Without memory for it a fork is not noticed, and nothing else would work either.
    static_cast<void>(::pthread_atfork(&prepare, &go_on_in_parent, &begin_in_child));
    return made;
  }();
  return *fork;
}

}  // namespace

NoFork::NoFork() {
  if (depth++ > 0) return;
  Fork& fork = the_fork();
  std::unique_lock lock(fork.mutex);
  fork.changed.wait(lock, [&fork] { return !fork.is_near; });
  ++fork.holders;
}

NoFork::~NoFork() {
  if (--depth > 0) return;
  Fork& fork = the_fork();
  const std::lock_guard lock(fork.mutex);
  --fork.holders;
  if (fork.is_near) fork.changed.notify_all();  // under the lock: a child reuses the memory
}

}  // namespace forebay
