#include "forebay/env/descriptor_parker.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace forebay {
namespace {

// A descriptor that can always be read. Each parker knows it, and looks at it once when it is told
// to. To be told needs no memory, so it cannot fail.
int bell() {
  static const int made = ::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
  return made;
}

constexpr int kBell = -1;  // what it is called in events

std::atomic<int> parkers{0};  // orders nothing

// Threads come and go, and descriptors need not: one that is free is the next thread's. None is
// ever closed, but in a child after fork(), so the last word of another thread never meets its end.
std::array<std::atomic<DescriptorParker*>, DescriptorParker::kMost> spare;

DescriptorParker* take_spare() {
  for (auto& place : spare) {
    DescriptorParker* const found = place.exchange(nullptr, std::memory_order_acq_rel);
    if (found != nullptr) return found;
  }
  return nullptr;
}

// There is room: no more than that exist.
void keep_spare(DescriptorParker* parker) {
  for (auto& place : spare) {
    DescriptorParker* nobody = nullptr;
    if (place.compare_exchange_strong(nobody, parker, std::memory_order_acq_rel)) return;
  }
}

}  // namespace

// After the end of its thread's own, those who ask later, other objects of the thread, find none.
struct DescriptorParker::Own {
  Own() = default;
  Own(const Own&) = delete;
  Own& operator=(const Own&) = delete;
  ~Own() {
    if (parker != nullptr) keep_spare(parker);
    parker = nullptr;
    is_over = true;
  }
  DescriptorParker* parker = nullptr;
  bool is_over = false;
};

DescriptorParker* DescriptorParker::of_this_thread() {
  static thread_local Own own;
  if (own.parker != nullptr && !own.parker->process_.is_in_child()) return own.parker;
  if (own.is_over) return nullptr;
  DescriptorParker* found = own.parker != nullptr ? own.parker : take_spare();
  // After fork() they are the parent's too.
  for (; found != nullptr && found->process_.is_in_child(); found = take_spare()) delete found;
  own.parker = found != nullptr ? found : make();
  return own.parker;
}

DescriptorParker* DescriptorParker::make() {
  auto* const made = new DescriptorParker();
  if (made->works_) return made;
  delete made;
  return nullptr;
}

DescriptorParker::DescriptorParker() {
  const bool is_one_of_few = parkers.fetch_add(1, std::memory_order_relaxed) < kMost;
  if (is_one_of_few) epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event silent{};
  works_ = epoll_ >= 0 && ::epoll_ctl(epoll_, EPOLL_CTL_ADD, bell(), &silent) == 0;
}

DescriptorParker::~DescriptorParker() {
  if (epoll_ >= 0) ::close(epoll_);
  parkers.fetch_sub(1, std::memory_order_relaxed);
}

void DescriptorParker::end(int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  if (descriptor >= 0 && ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0) return;
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.fd = kBell;
  ::epoll_ctl(epoll_, EPOLL_CTL_MOD, bell(), &event);
}

bool DescriptorParker::take_end(int descriptor) {
  const bool was_watched =
      descriptor >= 0 && ::epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr) == 0;
  return was_watched || take_event(0);
}

// The bell is heard once, by itself.
bool DescriptorParker::take_event(int milliseconds) {
  epoll_event event{};
  if (::epoll_wait(epoll_, &event, 1, milliseconds) <= 0) return false;
  if (event.data.fd != kBell) ::epoll_ctl(epoll_, EPOLL_CTL_DEL, event.data.fd, nullptr);
  return true;
}

bool DescriptorParker::sleep_until(const Scheduler& clock, Instant deadline) {
  using std::chrono::milliseconds;
  static constexpr Duration kLongest = std::chrono::hours(1);  // epoll counts in an int
  for (;;) {
    // By the cheaper clock there is at least so much; the exact one is asked near the end.
    Duration left =
        deadline == kNever ? kLongest : deadline - clock.recent_now() - Scheduler::kRecentLag;
    if (left < milliseconds(1)) left = deadline - clock.now();
    if (left <= Duration::zero()) return false;
    const auto whole = std::chrono::floor<milliseconds>(std::min(left, kLongest));
    if (whole == milliseconds::zero()) {  // epoll knows no parts of one
      pollfd self{epoll_, POLLIN, 0};
      const timespec rest{0, static_cast<long>(left.count())};
      ::ppoll(&self, 1, &rest, nullptr);
    }
    if (take_event(static_cast<int>(whole.count()))) return true;
  }
}

}  // namespace forebay
