#include "forebay/env/real/runtime.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "forebay/base/fork_mark.hpp"
#include "forebay/base/misuse.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/env/blocking_lane.hpp"
#include "forebay/env/descriptor_watch.hpp"
#include "forebay/env/loop_group.hpp"
#include "forebay/env/real/ares_resolver.hpp"
#include "forebay/env/real/curl_transport.hpp"
#include "forebay/env/real/loop_descriptor_watcher.hpp"
#include "forebay/env/real/loop_scheduler.hpp"
#include "forebay/env/real/secure_random.hpp"
#include "forebay/env/real/socket_network.hpp"
#include "forebay/env/real/start_thread.hpp"
#include "forebay/env/real/system_machine.hpp"
#include "forebay/env/real/system_random.hpp"
#include "forebay/env/real/system_wall_clock.hpp"
#include "forebay/env/real/thread_lane.hpp"

namespace forebay {

namespace {

constexpr int kMostLoops = 64;

struct LoopParts {
  LoopParts(std::string thread_name, const std::string& name_servers)
      : name(std::move(thread_name)), names(scheduler, descriptors, name_servers) {}

  const std::string name;
  real::LoopScheduler scheduler;
  real::SystemRandom random;
  real::LoopDescriptorWatcher descriptors{scheduler};
  real::AresResolver names;
  real::SocketNetwork streams{scheduler, &names};
  std::thread thread;
};

Result<void> check(const RuntimeOptions& options) {
  if (options.loops >= 1 && options.loops <= kMostLoops) return {};
  return failure(Errc::invalid,
                 fmt::format("loops is {}: a runtime has 1 to {}", options.loops, kMostLoops));
}

using Loops = std::vector<std::unique_ptr<LoopParts>>;

// One that is alone is in no group, and costs nobody a look at it.
Loops make_loops(const RuntimeOptions& options, LoopGroup& group) {
  Loops loops;
  for (int i = 0; i < options.loops; ++i) {
    std::string name = options.loops == 1 ? "forebay" : fmt::format("forebay-{}", i);
    loops.push_back(std::make_unique<LoopParts>(std::move(name), options.name_servers));
    if (options.loops > 1) group.add(loops.back()->scheduler);
  }
  return loops;
}

}  // namespace

struct Runtime::Parts {
  // REQUIRES: check(options).
  explicit Parts(const RuntimeOptions& options) : loops(make_loops(options, group)) {}
  ~Parts() {
    FOREBAY_CHECK(!is_on_loop(first.scheduler),
                  "a runtime cannot be destroyed by one of its own tasks");
    // These first: what they still do ends with a post to a scheduler that must be running.
    http.reset();
    machine.stop_programs();
    token_lane.reset();
    lane.reset();
    for (const auto& loop : loops) {
      if (loop->thread.joinable()) loop->scheduler.stop();
    }
    for (const auto& loop : loops) {
      if (loop->thread.joinable()) loop->thread.join();
    }
  }

  // An error if the system gives no threads.
  Result<void> run() {
    if (lane->trouble()) return failure(*lane->trouble());
    for (const auto& loop : loops) {
      if (const auto& trouble = loop->scheduler.poller().trouble()) return failure(*trouble);
      Result<std::thread> thread = real::start_thread(
          loop->name.c_str(), [&scheduler = loop->scheduler] { scheduler.run(); });
      if (!thread) return failure(thread.error());
      loop->thread = std::move(*thread);
    }
    return {};
  }

  Loop view(LoopParts& loop) {
    return Loop{Env{loop.scheduler, loop.random, wall_clock}, loop.descriptors, loop.names,
                loop.streams};
  }
  LoopParts& here() {
    return *loops[static_cast<std::size_t>(forebay::here(first.scheduler).loop())];
  }

  // Registers a descriptor with the loop of the task that asks.
  class OwnLoop final : public DescriptorWatcher {
   public:
    explicit OwnLoop(Parts& parts) : parts_(parts) {}
    std::unique_ptr<WatchedDescriptor> watch(int descriptor) override {
      return parts_.here().descriptors.watch(descriptor);
    }

   private:
    Parts& parts_;
  };

  const ForkMark process;
  LoopGroup group;
  const Loops loops;
  LoopParts& first = *loops.front();
  real::SecureRandom secure_random;
  real::SystemWallClock wall_clock;
  OwnLoop descriptors{*this};
  std::optional<real::ThreadLane> lane{std::in_place};
  real::SystemMachine machine{first.scheduler, *lane};
  std::once_flag token_lane_once;
  std::optional<real::ThreadLane> token_lane;
  std::once_flag http_once;
  std::optional<real::CurlTransport> http;
};

Result<std::unique_ptr<Runtime>> Runtime::start(const RuntimeOptions& options) {
  if (Result<void> checked = check(options); !checked) return failure(checked.error());
  const auto parts = std::make_shared<Parts>(options);
  if (const Result<void> running = parts->run(); !running) return failure(running.error());
  return std::unique_ptr<Runtime>(new Runtime(parts));
}

Runtime::Runtime(const RuntimeOptions& options) {
  Result<void> running = check(options);
  if (running) {
    parts_ = std::make_shared<Parts>(options);
    running = parts_->run();
  }
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

Scheduler& Runtime::scheduler() { return parts_->first.scheduler; }
Env Runtime::env() { return parts_->view(parts_->first).env; }
int Runtime::loops() const { return static_cast<int>(parts_->loops.size()); }
Loop Runtime::loop(int index) {
  FOREBAY_CHECK(index >= 0 && index < loops(), "a runtime has no such loop");
  return parts_->view(*parts_->loops[static_cast<std::size_t>(index)]);
}
Loop Runtime::here() { return parts_->view(parts_->here()); }
BlockingLane& Runtime::lane() { return *parts_->lane; }
BlockingLane& Runtime::token_lane() {
  std::call_once(parts_->token_lane_once, [&parts = *parts_] {
    parts.token_lane.emplace(1);
    if (parts.token_lane->trouble()) stop_for_misuse(parts.token_lane->trouble()->text());
  });
  return *parts_->token_lane;
}
DescriptorWatcher& Runtime::descriptors() { return parts_->descriptors; }
NameResolver& Runtime::names() { return parts_->first.names; }
StreamNetwork& Runtime::streams() { return parts_->first.streams; }
HttpTransport& Runtime::http() {
  std::call_once(parts_->http_once, [&parts = *parts_] {
    parts.http.emplace(parts.first.scheduler, real::curl_settings(parts.machine));
  });
  return *parts_->http;
}
Machine& Runtime::machine() { return parts_->machine; }
Random& Runtime::secure_random() { return parts_->secure_random; }
bool Runtime::is_current_thread() const { return is_on_loop(parts_->first.scheduler); }

bool Runtime::is_in_child() const { return parts_->process.is_in_child(); }

}  // namespace forebay
