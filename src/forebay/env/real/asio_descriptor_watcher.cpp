#include "forebay/env/real/asio_descriptor_watcher.hpp"

#include <string>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "forebay/detail/base/check.hpp"

namespace forebay::real {
namespace {

using boost::asio::posix::stream_descriptor;

enum class Ending : std::uint8_t { ready, timed_out, cancelled, closed };

// What a wait and the loop's handlers share. The loop may keep a handler when the wait has ended
// and the WatchedDescriptor is gone, so every handler holds a share and the number of its wait.
//
// Always: task_ is set while a wait is in progress. The one that clears it says how the wait ended
// and resumes the task, so a wait ends once.
class Watch final : private Timer, public std::enable_shared_from_this<Watch> {
 public:
  Watch(boost::asio::io_context& context, Scheduler& scheduler, int descriptor)
      : Timer(&expire), scheduler_(scheduler), stream_(context) {
    boost::system::error_code error;
    stream_.assign(descriptor, error);
    if (error) trouble_ = "cannot watch a descriptor: " + error.message();
  }

  Scheduler& scheduler() const { return scheduler_; }
  const std::string& trouble() const { return trouble_; }
  bool is_open() const { return stream_.is_open(); }
  bool has_wait() const { return task_ != nullptr; }
  bool has_wait(const Ending& ending) const { return ending_ == &ending; }
  // Leaves the descriptor open, and the loop without any interest in it.
  void release() { stream_.release(); }

  // The ending lives in the waiting task's frame, because the next wait may start before that task
  // has run again.
  void start(Readiness readiness, Instant deadline, std::coroutine_handle<> task, Ending& ending) {
    FOREBAY_CHECK(!has_wait(), "a descriptor has one wait at a time");
    task_ = task;
    ending_ = &ending;
    if (deadline != kNever) scheduler_.arm(*this, deadline);
    ++wait_number_;
    is_either_ = readiness == Readiness::either;
    if (readiness != Readiness::writable) ask_for(stream_descriptor::wait_read);
    if (readiness != Readiness::readable) ask_for(stream_descriptor::wait_write);
  }

  // Resumes the task on a later turn: a handler of the loop, which may call this, is not in one.
  void end(Ending how) {
    if (!has_wait()) return;
    scheduler_.disarm(*this);
    if (how != Ending::ready || is_either_) forget_interest();
    scheduler_.post(finish(how));
  }

 private:
  // Errors, too, mean ready (the owner's next read or write shows them), except cancellation, whose
  // wait has ended by then.
  void ask_for(stream_descriptor::wait_type what) {
    stream_.async_wait(what, [self = shared_from_this(), number = wait_number_](const auto&) {
      if (number == self->wait_number_) self->end(Ending::ready);
    });
  }
  static void expire(Timer& timer) {
    Watch& self = static_cast<Watch&>(timer);  // it has a wait: the end of a wait disarms the timer
    self.forget_interest();
    self.finish(Ending::timed_out).resume();
  }
  std::coroutine_handle<> finish(Ending how) {
    *std::exchange(ending_, nullptr) = how;
    return std::exchange(task_, {});
  }
  void forget_interest() {
    boost::system::error_code ignored;
    stream_.cancel(ignored);
  }

  Scheduler& scheduler_;
  stream_descriptor stream_;
  std::string trouble_;  // why the descriptor cannot be watched; empty if it can
  std::uint64_t wait_number_ = 0;
  bool is_either_ = false;  // two interests, of which the first to be met ends the wait
  std::coroutine_handle<> task_{};
  Ending* ending_ = nullptr;
};

class [[nodiscard]] UntilEnded : private Cancellation::Listener {
 public:
  UntilEnded(Watch& watch, Readiness readiness, Until until)
      : Listener(&on_cancel), watch_(watch), readiness_(readiness), until_(until) {}
  UntilEnded(const UntilEnded&) = delete;
  UntilEnded& operator=(const UntilEnded&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    until_.listen(*this, watch_.scheduler());
    watch_.start(readiness_, until_.deadline(), task, ending_);
  }
  Ending await_resume() {
    until_.leave(*this);
    return ending_;
  }

 private:
  // It may have ended already, and another wait may have begun, before this task runs again.
  static void on_cancel(Listener& listener) {
    UntilEnded& self = static_cast<UntilEnded&>(listener);
    if (self.watch_.has_wait(self.ending_)) self.watch_.end(Ending::cancelled);
  }

  Watch& watch_;
  const Readiness readiness_;
  const Until until_;
  Ending ending_{};
};

// Not a member of the WatchedDescriptor, which may die after a wait has ended and before this runs.
Task<Result<void>> wait_for(std::shared_ptr<Watch> watch, Readiness readiness, Until until) {
  if (!watch->trouble().empty()) co_return failure(Errc::connection_lost, watch->trouble());
  if (!watch->is_open()) co_return failure(Errc::closed, "the descriptor is no longer watched");
  Ending ending = until.is_cancelled() ? Ending::cancelled : Ending::timed_out;
  if (!until.is_cancelled() && watch->scheduler().now() < until.deadline()) {
    ending = co_await UntilEnded(*watch, readiness, until);
  }
  switch (ending) {
    case Ending::ready: co_return Result<void>();
    case Ending::timed_out:
      co_return failure(Errc::timed_out, "the descriptor was not ready in time");
    case Ending::cancelled:
      co_return failure(Errc::cancelled, "the wait for the descriptor was cancelled");
    case Ending::closed: co_return failure(Errc::closed, "the wait for the descriptor was ended");
  }
  std::unreachable();
}

class AsioWatchedDescriptor final : public WatchedDescriptor {
 public:
  explicit AsioWatchedDescriptor(std::shared_ptr<Watch> watch) : watch_(std::move(watch)) {}
  ~AsioWatchedDescriptor() override {
    FOREBAY_CHECK(!watch_->has_wait(), "a descriptor's watch died during a wait");
    watch_->release();
  }

  bool is_here() const override { return watch_->scheduler().is_current_thread(); }
  Task<Result<void>> wait(Readiness readiness, Until until) override {
    return wait_for(watch_, readiness, until);
  }
  void cancel() override { watch_->end(Ending::closed); }

 private:
  std::shared_ptr<Watch> watch_;
};

}  // namespace

std::unique_ptr<WatchedDescriptor> AsioDescriptorWatcher::watch(int descriptor) {
  return std::make_unique<AsioWatchedDescriptor>(
      std::make_shared<Watch>(context_, scheduler_, descriptor));
}

}  // namespace forebay::real
