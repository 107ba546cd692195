#include "forebay/env/real/runtime.hpp"

#include <mutex>
#include <optional>
#include <thread>

#include <boost/asio/io_context.hpp>

#include "forebay/base/check.hpp"
#include "forebay/base/fork_mark.hpp"
#include "forebay/base/misuse.hpp"
#include "forebay/env/real/ares_resolver.hpp"
#include "forebay/env/real/asio_descriptor_watcher.hpp"
#include "forebay/env/real/asio_scheduler.hpp"
#include "forebay/env/real/curl_transport.hpp"
#include "forebay/env/real/secure_random.hpp"
#include "forebay/env/real/start_thread.hpp"
#include "forebay/env/real/system_machine.hpp"
#include "forebay/env/real/system_random.hpp"
#include "forebay/env/real/system_wall_clock.hpp"
#include "forebay/env/real/thread_lane.hpp"

namespace forebay {

struct Runtime::Parts {
  explicit Parts(const RuntimeOptions& options)
      : names(scheduler, descriptors, options.name_servers) {}
  ~Parts() {
    FOREBAY_CHECK(!scheduler.is_current_thread(),
                  "a runtime cannot be destroyed by one of its own tasks");
    // These first: what they still do ends with a post to a scheduler that must be running.
    http.reset();
    token_lane.reset();
    lane.reset();
    if (!loop.joinable()) return;
    scheduler.stop();
    loop.join();
  }

  // An error if the system gives no threads.
  Result<void> run() {
    if (lane->trouble()) return failure(*lane->trouble());
    Result<std::thread> thread = real::start_thread("forebay", [this] { scheduler.run(); });
    if (!thread) return failure(thread.error());
    loop = std::move(*thread);
    return {};
  }

  const ForkMark process;
  boost::asio::io_context context{1};  // one thread: Asio then skips wake-ups of its own
  real::AsioScheduler scheduler{context};
  real::SystemRandom random;
  real::SecureRandom secure_random;
  real::SystemWallClock wall_clock;
  real::AsioDescriptorWatcher descriptors{context, scheduler};
  real::AresResolver names;
  std::optional<real::ThreadLane> lane{std::in_place};
  real::SystemMachine machine{scheduler, *lane};
  std::once_flag token_lane_once;
  std::optional<real::ThreadLane> token_lane;
  std::once_flag http_once;
  std::optional<real::CurlTransport> http;
  std::thread loop;
};

Result<std::unique_ptr<Runtime>> Runtime::start(const RuntimeOptions& options) {
  const auto parts = std::make_shared<Parts>(options);
  if (const Result<void> running = parts->run(); !running) return failure(running.error());
  return std::unique_ptr<Runtime>(new Runtime(parts));
}

Runtime::Runtime(const RuntimeOptions& options) : parts_(std::make_shared<Parts>(options)) {
  const Result<void> running = parts_->run();
  if (running) return;
  stop_for_misuse(
      "no Runtime could be made, and Runtime::start() would have said so as an Error: " +
      running.error().text());
}

Runtime::Runtime(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

// The threads are the parent's, and so are the descriptors: a child leaves all of it alone.
Runtime::~Runtime() {
  if (is_in_child()) leave_to_parent(std::move(parts_));
}

Scheduler& Runtime::scheduler() { return parts_->scheduler; }
Env Runtime::env() { return Env{parts_->scheduler, parts_->random, parts_->wall_clock}; }
BlockingLane& Runtime::lane() { return *parts_->lane; }
BlockingLane& Runtime::token_lane() {
  std::call_once(parts_->token_lane_once, [&parts = *parts_] {
    parts.token_lane.emplace(1);
    if (parts.token_lane->trouble()) stop_for_misuse(parts.token_lane->trouble()->text());
  });
  return *parts_->token_lane;
}
DescriptorWatcher& Runtime::descriptors() { return parts_->descriptors; }
NameResolver& Runtime::names() { return parts_->names; }
HttpTransport& Runtime::http() {
  std::call_once(parts_->http_once, [&parts = *parts_] {
    parts.http.emplace(parts.scheduler, real::curl_settings(parts.machine));
  });
  return *parts_->http;
}
Machine& Runtime::machine() { return parts_->machine; }
Random& Runtime::secure_random() { return parts_->secure_random; }
bool Runtime::is_current_thread() const { return parts_->scheduler.is_current_thread(); }

bool Runtime::is_in_child() const { return parts_->process.is_in_child(); }

}  // namespace forebay
