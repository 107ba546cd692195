#include "forebay/env/real/poller.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

namespace forebay::real {
namespace {

// No descriptor has such a number.
constexpr std::uint64_t kAlarmKey = ~std::uint64_t{0};
constexpr std::uint64_t kBellKey = kAlarmKey - 1;

std::uint64_t key_of(int descriptor, std::uint32_t generation) {
  return std::uint64_t{generation} << 32 | static_cast<std::uint32_t>(descriptor);
}

// Whoever waits is told of errors, too: the next call to the system says which.
Poller::Events ready_events(std::uint32_t events) {
  const bool is_broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
  Poller::Events ready = 0;
  if (is_broken || (events & (EPOLLIN | EPOLLPRI)) != 0) ready |= Poller::kRead;
  if (is_broken || (events & EPOLLOUT) != 0) ready |= Poller::kWrite;
  if (is_broken || (events & (EPOLLRDHUP | EPOLLPRI)) != 0) ready |= Poller::kEnd;
  return ready;
}

// A broken descriptor is reported whether somebody asked or not. EPOLLET: only once.
std::uint32_t system_events(Poller::Events events, Poller::Told told) {
  if (events == 0) return EPOLLET;
  std::uint32_t asked = told == Poller::Told::once ? EPOLLET | EPOLLRDHUP : 0;
  if ((events & Poller::kRead) != 0) asked |= EPOLLIN | EPOLLPRI;
  if ((events & Poller::kWrite) != 0) asked |= EPOLLOUT;
  return asked;
}

}  // namespace

Poller::Poller()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      alarm_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  add_own(alarm_.number(), kAlarmKey, EPOLLIN);
  // Rung again, it is reported again, and nobody needs to empty it.
  add_own(bell_.number(), kBellKey, EPOLLIN | EPOLLET);
}

void Poller::add_own(int descriptor, std::uint64_t key, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = key;
  if (::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, descriptor, &event) == 0) return;
  trouble_.emplace(Errc::limit_reached, fmt::format("the system gives no event loop: {}",
                                                    std::generic_category().message(errno)));
}

int Poller::add(Watched& watched, Events events) {
  if (watched.descriptor_ < 0) return EBADF;
  MutexLock lock(mutex_);
  const auto index = static_cast<std::size_t>(watched.descriptor_);
  if (by_descriptor_.size() <= index) by_descriptor_.resize(index + 1);
  if (by_descriptor_[index] != nullptr) return EEXIST;
  last_generation_ = std::max(last_generation_ + 1, std::uint32_t{1});
  watched.generation_ = last_generation_;
  const int error = ask(watched, EPOLL_CTL_ADD, events);
  if (error == 0) {
    by_descriptor_[index] = &watched;
  } else {
    watched.generation_ = 0;
  }
  return error;
}

int Poller::want(Watched& watched, Events events) {
  int error = 0;
  if (watched.generation_ == 0) {
    error = add(watched, events);
  } else if ((events & ~watched.asked_) != 0) {
    error = ask(watched, EPOLL_CTL_MOD, watched.asked_ | events);
  }
  if (error == 0) watched.wanted_ |= events;
  return error;
}

void Poller::forget(Watched& watched) {
  MutexLock lock(mutex_);
  if (watched.generation_ == 0) return;
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, watched.descriptor_, nullptr);
  by_descriptor_[static_cast<std::size_t>(watched.descriptor_)] = nullptr;
  watched.generation_ = 0;
  watched.wanted_ = watched.asked_ = 0;
}

int Poller::ask(Watched& watched, int operation, Events events) {
  epoll_event event{};
  event.events = system_events(events, watched.told_);
  event.data.u64 = key_of(watched.descriptor_, watched.generation_);
  if (::epoll_ctl(epoll_.number(), operation, watched.descriptor_, &event) != 0) return errno;
  watched.asked_ = events;
  return 0;
}

void Poller::set_alarm(Instant due) {
  itimerspec time{};
  if (due != kNever) {
    // All zero would mean never.
    const auto since_epoch = std::max(due.time_since_epoch(), Duration(1));
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
    time.it_value.tv_sec = static_cast<time_t>(seconds.count());
    time.it_value.tv_nsec = static_cast<long>((since_epoch - seconds).count());
  }
  ::timerfd_settime(alarm_.number(), TFD_TIMER_ABSTIME, &time, nullptr);
}

bool Poller::wait(bool may_sleep) {
  const int count = ::epoll_wait(epoll_.number(), events_.data(), static_cast<int>(events_.size()),
                                 may_sleep ? -1 : 0);
  if (count <= 0) return false;  // below zero: a signal
  bool has_rung = false;
  const auto happened = std::span(events_).first(static_cast<std::size_t>(count));
  const std::span<const News> news = take_news(happened, has_rung);
  // It is waited for, or our own, so nobody lets go of it elsewhere.
  for (const News& one : news) one.watched->on_ready_(*one.watched, one.events);
  return has_rung;
}

// One lock for all.
std::span<const Poller::News> Poller::take_news(std::span<const epoll_event> happened,
                                                bool& has_rung) {
  std::size_t count = 0;
  MutexLock lock(mutex_);
  for (const epoll_event& event : happened) {
    if (event.data.u64 == kAlarmKey) has_rung = true;
    if (event.data.u64 == kAlarmKey || event.data.u64 == kBellKey) continue;
    Watched* const watched = find(event.data.u64);
    if (watched == nullptr) continue;  // forgotten since
    const Events ready = ready_events(event.events);
    const bool is_once = watched->told_ == Told::once;
    const Events told = is_once ? ready : take_wanted(*watched, ready & watched->asked_);
    if (told != 0) news_[count++] = {watched, told};
  }
  return std::span(news_).first(count);
}

// What of this is wanted; for the rest, interest is lost.
Poller::Events Poller::take_wanted(Watched& watched, Events ready) {
  const Events wanted = ready & watched.wanted_;
  watched.wanted_ &= ~wanted;
  // A socket that can be written mostly goes on so, and need not be reported with each read.
  const Events dropped = (ready & ~wanted) | (ready & kWrite);
  if (dropped != 0) ask(watched, EPOLL_CTL_MOD, watched.asked_ & ~dropped);
  return wanted;
}

Poller::Watched* Poller::find(std::uint64_t key) {
  const auto index = static_cast<std::size_t>(static_cast<std::uint32_t>(key));
  Watched* const watched = index < by_descriptor_.size() ? by_descriptor_[index] : nullptr;
  if (watched == nullptr || key_of(watched->descriptor_, watched->generation_) != key)
    return nullptr;
  return watched;
}

void Poller::wake() {
  const std::uint64_t once = 1;
  // It can only fail when it was rung without end, and then it is still heard.
  static_cast<void>(::write(bell_.number(), &once, sizeof once) == sizeof once);
}

}  // namespace forebay::real
