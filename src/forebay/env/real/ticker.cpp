#include "forebay/detail/env/real/ticker.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "forebay/base/fork_mark.hpp"
#include "forebay/base/log.hpp"
#include "forebay/env/real/start_thread.hpp"

namespace forebay {
namespace {

void call(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    log::warning("Something done every so often failed", {log::field("error", error.what())});
  } catch (...) {
    log::warning("Something done every so often failed");
  }
}

}  // namespace

struct Ticker::Parts {
  const ForkMark process;
  std::mutex mutex;
  std::condition_variable ended;
  bool is_over = false;
  std::thread thread;
};

Ticker::Ticker(std::chrono::milliseconds every, std::function<void()> action)
    : parts_(std::make_unique<Parts>()) {
  const auto work = [parts = parts_.get(), every, action = std::move(action)] {
    std::unique_lock lock(parts->mutex);
    while (!parts->ended.wait_for(lock, every, [parts] { return parts->is_over; })) {
      lock.unlock();
      call(action);
      lock.lock();
    }
  };
  parts_->thread = real::start_thread_or_stop("forebay-ticker", work);
}

Ticker::~Ticker() {
  if (parts_->process.is_in_child()) {  // the thread is the parent's
    leave_to_parent(std::move(parts_));
    return;
  }
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->is_over = true;
  }
  parts_->ended.notify_all();
  parts_->thread.join();
}

}  // namespace forebay
