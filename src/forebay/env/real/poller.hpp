// Poller: what the system tells a loop: which descriptors are ready, that its alarm has rung, and
// that another thread has something for it. One epoll.
//
// What was asked of a descriptor once stays asked, so the next wait for the same costs no call to
// the system. Of a descriptor of somebody else's the poller is told again and again while it is
// ready, so nothing can be missed, whoever reads how much. If nobody wants it, the poller loses
// interest until somebody does. Of our own sockets it is told once, which costs the system less:
// their owner must remember what it was told while nobody waited.
//
// For the loop's thread alone, but for wake(), and for forget() of what nobody waits for and is
// told of while it is ready.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <sys/epoll.h>

#include "forebay/base/error.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/env/real/owned_descriptor.hpp"
#include "forebay/env/time.hpp"

namespace forebay::real {

class Poller {
 public:
  using Events = std::uint32_t;
  static constexpr Events kRead = 1;
  static constexpr Events kWrite = 2;
  // Beside kRead: there is more to come than bytes: the peer has finished, or the socket is broken.
  static constexpr Events kEnd = 4;

  enum class Told : std::uint8_t { while_ready, once };

  // A descriptor of somebody else's, which is closed only after forget().
  class Watched {
   public:
    // Is called with what was wanted and is there, which is wanted no more. Told once: with all
    // that was asked for, wanted or not. It resumes nobody.
    using Action = void (*)(Watched&, Events);
    Watched(int descriptor, Action on_ready, Told told = Told::while_ready)
        : descriptor_(descriptor), on_ready_(on_ready), told_(told) {}
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    int descriptor() const { return descriptor_; }

   private:
    friend class Poller;
    const int descriptor_;
    const Action on_ready_;
    const Told told_;
    Events wanted_ = 0;             // somebody waits for it
    Events asked_ = 0;              // the system tells of it
    std::uint32_t generation_ = 0;  // zero: it is not registered
  };

  Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // The system gave no descriptors: it is of no use. Nothing: it works.
  const std::optional<Error>& trouble() const { return trouble_; }

  // The number of the system's error; 0: it is done. What was added is asked for, and not yet
  // wanted.
  int add(Watched& watched, Events events) FOREBAY_EXCLUDES(mutex_);
  int want(Watched& watched, Events events) FOREBAY_EXCLUDES(mutex_);
  static void unwant(Watched& watched) { watched.wanted_ = 0; }
  // Nothing is told of it any more.
  void forget(Watched& watched) FOREBAY_EXCLUDES(mutex_);

  // From now on it rings then, and until it is set again. kNever: it does not.
  void set_alarm(Instant due);
  // Tells all who wanted what is ready. True: the alarm has rung. May sleep until there is
  // something to tell, or wake().
  bool wait(bool may_sleep) FOREBAY_EXCLUDES(mutex_);
  // Ends the present wait, or the next.
  void wake();

 private:
  static constexpr std::size_t kMostAtOnce = 128;

  struct News {
    Watched* watched;
    Events events;
  };

  Watched* find(std::uint64_t key) FOREBAY_REQUIRES(mutex_);
  Events take_wanted(Watched& watched, Events ready) FOREBAY_REQUIRES(mutex_);
  int ask(Watched& watched, int operation, Events events);
  std::span<const News> take_news(std::span<const epoll_event> happened, bool& has_rung)
      FOREBAY_EXCLUDES(mutex_);
  void add_own(int descriptor, std::uint64_t key, std::uint32_t events);

  OwnedDescriptor epoll_;
  OwnedDescriptor alarm_;
  OwnedDescriptor bell_;  // rung by other threads
  std::optional<Error> trouble_;
  std::array<epoll_event, kMostAtOnce> events_;
  std::array<News, kMostAtOnce> news_;

  // Between what the system has just told and those who forget it on other threads.
  Mutex mutex_;
  std::vector<Watched*> by_descriptor_ FOREBAY_GUARDED_BY(mutex_);
  std::uint32_t last_generation_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::real
