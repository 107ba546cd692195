#include "forebay/cli/interrupt.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "forebay/detail/base/check.hpp"

namespace forebay::cli {

Interrupt::Interrupt() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&wanted, signal);
  pthread_sigmask(SIG_BLOCK, &wanted, &before_);
  signals_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  FOREBAY_CHECK(signals_ >= 0, "signalfd failed");
}

Interrupt::~Interrupt() {
  ::close(signals_);
  if (!is_requested_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool Interrupt::wait(std::chrono::milliseconds limit) {
  if (is_requested_) return true;
  std::array<pollfd, 2> sources{{{signals_, POLLIN, 0}, {keys_, POLLIN, 0}}};  // -1 is left out
  const int timeout = static_cast<int>(std::max(limit, limit.zero()).count());
  ::poll(sources.data(), sources.size(), timeout);

  signalfd_siginfo signal{};
  if (::read(signals_, &signal, sizeof signal) == sizeof signal) is_requested_ = true;
  if (sources[1].revents != 0) read_keys();
  if (is_requested_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  return is_requested_;
}

void Interrupt::read_keys() {
  static constexpr std::string_view kEndingKeys = "\x03qQ";
  std::array<char, 64> keys{};
  const ssize_t count = ::read(keys_, keys.data(), keys.size());
  if (count <= 0) {
    keys_ = -1;  // the terminal is gone; SIGHUP says the rest
    return;
  }
  const std::string_view typed(keys.data(), static_cast<std::size_t>(count));
  if (typed.find_first_of(kEndingKeys) != std::string_view::npos) is_requested_ = true;
}

}  // namespace forebay::cli
