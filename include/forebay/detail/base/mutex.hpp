// Mutex and MutexLock: std::mutex with annotations, so that clang proves which member
// needs which lock.
#pragma once

#include <mutex>

#if defined(__clang__)
#define FOREBAY_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define FOREBAY_THREAD_ANNOTATION(x)
#endif
#define FOREBAY_GUARDED_BY(mutex) FOREBAY_THREAD_ANNOTATION(guarded_by(mutex))
#define FOREBAY_REQUIRES(...) FOREBAY_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define FOREBAY_EXCLUDES(...) FOREBAY_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

namespace forebay {

class FOREBAY_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() FOREBAY_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() FOREBAY_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class FOREBAY_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) FOREBAY_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() FOREBAY_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace forebay
