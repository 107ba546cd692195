#include "forebay/env/real/runtime.hpp"

#include <mutex>
#include <optional>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <pthread.h>

#include "forebay/env/real/ares_resolver.hpp"
#include "forebay/env/real/asio_descriptor_watcher.hpp"
#include "forebay/env/real/asio_scheduler.hpp"
#include "forebay/env/real/curl_transport.hpp"
#include "forebay/env/real/secure_random.hpp"
#include "forebay/env/real/system_machine.hpp"
#include "forebay/env/real/system_random.hpp"
#include "forebay/env/real/system_wall_clock.hpp"
#include "forebay/env/real/thread_lane.hpp"

namespace forebay {

struct Runtime::Parts {
  explicit Parts(const RuntimeOptions& options)
      : names(scheduler, descriptors, options.name_servers) {}

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

Runtime::Runtime(const RuntimeOptions& options) : parts_(std::make_unique<Parts>(options)) {
  parts_->loop = std::thread([&scheduler = parts_->scheduler] {
    pthread_setname_np(pthread_self(), "forebay");
    scheduler.run();
  });
}

Runtime::~Runtime() {
  FOREBAY_CHECK(!is_current_thread(), "a runtime cannot be destroyed by one of its own tasks");
  // These first: what they still do ends with a post to a scheduler that must be running.
  parts_->http.reset();
  parts_->token_lane.reset();
  parts_->lane.reset();
  parts_->scheduler.stop();
  parts_->loop.join();
}

Scheduler& Runtime::scheduler() { return parts_->scheduler; }
Env Runtime::env() { return Env{parts_->scheduler, parts_->random, parts_->wall_clock}; }
BlockingLane& Runtime::lane() { return *parts_->lane; }
BlockingLane& Runtime::token_lane() {
  std::call_once(parts_->token_lane_once, [&parts = *parts_] { parts.token_lane.emplace(1); });
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

}  // namespace forebay
