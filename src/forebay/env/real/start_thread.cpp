#include "forebay/env/real/start_thread.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include "forebay/base/misuse.hpp"

namespace forebay::real {
namespace {

// A thread inherits the mask of the one that starts it, so there is no moment in which a signal
// could reach it.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

Result<std::thread> start_thread(const char* name, std::move_only_function<void()> work) {
  const AllSignalsBlocked blocked;
  try {
    return std::thread([name, work = std::move(work)]() mutable {
      pthread_setname_np(pthread_self(), name);
      work();
    });
  } catch (const std::system_error& error) {
    return failure(Errc::refused, fmt::format("the thread \"{}\" cannot be started: {}; see "
                                              "ulimit -u, and the memory that is left",
                                              name, error.code().message()));
  }
}

std::thread start_thread_or_stop(const char* name, std::move_only_function<void()> work) {
  Result<std::thread> thread = start_thread(name, std::move(work));
  if (!thread) stop_for_misuse(thread.error().text());
  return std::move(*thread);
}

}  // namespace forebay::real
