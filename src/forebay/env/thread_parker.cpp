#include "forebay/detail/env/thread_parker.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace forebay {
namespace {

long futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value,
           const timespec* until) {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), operation | FUTEX_PRIVATE_FLAG,
                 value, until, nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace

bool ThreadParker::park_until(Instant deadline) {
  std::uint32_t expected = kWaiting;
  if (!state_.compare_exchange_strong(expected, kSleeping, std::memory_order_acq_rel) &&
      expected == kUnparked) {
    return true;
  }

  timespec until{};
  if (deadline != kNever) {
    // FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC time, which is what the real scheduler
    // shows. It refuses times before its epoch; unclamped, such a deadline would never be seen
    // to have passed.
    const auto since_epoch = std::max(deadline, Instant{}).time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
    until.tv_sec = static_cast<time_t>(seconds.count());
    until.tv_nsec = static_cast<long>((since_epoch - seconds).count());
  }
  while (state_.load(std::memory_order_acquire) != kUnparked) {
    const long result =
        futex(&state_, FUTEX_WAIT_BITSET, kSleeping, deadline == kNever ? nullptr : &until);
    if (result == -1 && errno == ETIMEDOUT)
      return state_.load(std::memory_order_acquire) == kUnparked;
  }
  return true;
}

void ThreadParker::offer_turn() { sched_yield(); }

void ThreadParker::unpark() {
  // After the exchange the sleeper may be gone. Waking an address that nobody waits on is harmless.
  if (state_.exchange(kUnparked, std::memory_order_acq_rel) == kSleeping)
    futex(&state_, FUTEX_WAKE, 1, nullptr);
}

}  // namespace forebay
