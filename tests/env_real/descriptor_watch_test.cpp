// Waiting for descriptors on the real loop: readiness, deadlines, cancellation and their races.
#include "forebay/env/descriptor_watch.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/env/task_group.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

// Both ends of a local connection.
class SocketPair {
 public:
  SocketPair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~SocketPair() {
    close(ends_[0]);
    close_far_end();
  }
  int near_end() const { return ends_[0]; }
  void send_from_far_end() { EXPECT_EQ(write(ends_[1], "x", 1), 1); }
  // Until the socket takes no more.
  void fill_from_near_end() {
    const std::array<char, 4096> bytes{};
    while (send(ends_[0], bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
    }
  }
  void receive() {
    char byte = 0;
    EXPECT_EQ(read(ends_[0], &byte, 1), 1);
  }
  void close_far_end() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }

 private:
  std::array<int, 2> ends_{};
};

using Ending = std::optional<Errc>;  // nothing: it was ready

Ending ending_of(const Result<void>& result) {
  return result ? Ending() : Ending(result.error().code());
}

class DescriptorWatchTest : public testing::Test {
 protected:
  template <class T>
  T run(Task<T> task) {
    return run_blocking(runtime_.scheduler(), std::move(task));
  }

  Runtime runtime_;
  SocketPair sockets_;
};

Task<Ending> wait_once(Runtime& runtime, int descriptor, Readiness readiness, Duration time) {
  const auto watched = runtime.descriptors().watch(descriptor);
  const Instant deadline = deadline_after(runtime.scheduler().now(), time);
  co_return ending_of(co_await watched->wait(readiness, deadline));
}

TEST_F(DescriptorWatchTest, ADescriptorWithDataIsReadable) {
  sockets_.send_from_far_end();

  const Ending ending = run(wait_once(runtime_, sockets_.near_end(), Readiness::readable, 1h));

  EXPECT_EQ(ending, Ending());
}

TEST_F(DescriptorWatchTest, AnEmptySocketIsWritable) {
  const Ending ending = run(wait_once(runtime_, sockets_.near_end(), Readiness::writable, 1h));

  EXPECT_EQ(ending, Ending());
}

TEST_F(DescriptorWatchTest, EitherIsWhicheverComesFirst) {
  const auto either = [this] {
    return run(wait_once(runtime_, sockets_.near_end(), Readiness::either, 1h));
  };
  EXPECT_EQ(either(), Ending()) << "writable";

  sockets_.fill_from_near_end();
  EXPECT_EQ(run(wait_once(runtime_, sockets_.near_end(), Readiness::either, 1ms)), Errc::timed_out);
  sockets_.send_from_far_end();
  EXPECT_EQ(either(), Ending()) << "readable";
}

TEST_F(DescriptorWatchTest, AClosedPeerMakesItReadable) {
  sockets_.close_far_end();

  const Ending ending = run(wait_once(runtime_, sockets_.near_end(), Readiness::readable, 1h));

  EXPECT_EQ(ending, Ending()) << "the next read tells";
}

TEST_F(DescriptorWatchTest, TheDeadlineEndsTheWait) {
  const Ending ending = run(wait_once(runtime_, sockets_.near_end(), Readiness::readable, 1ms));

  EXPECT_EQ(ending, Errc::timed_out);
}

TEST_F(DescriptorWatchTest, APassedDeadlineEndsTheWaitAtOnce) {
  const Ending ending = run(wait_once(runtime_, sockets_.near_end(), Readiness::readable, -1s));

  EXPECT_EQ(ending, Errc::timed_out);
}

TEST_F(DescriptorWatchTest, TheDescriptorStaysOpenWhenItIsNoLongerWatched) {
  run(wait_once(runtime_, sockets_.near_end(), Readiness::writable, 1h));

  EXPECT_NE(fcntl(sockets_.near_end(), F_GETFD), -1);
}

TEST_F(DescriptorWatchTest, ABadDescriptorFailsInTheFirstWait) {
  const Ending ending = run(wait_once(runtime_, 1'000'000, Readiness::readable, 1h));

  EXPECT_EQ(ending, Errc::connection_lost);
}

Task<void> keep_ending(WatchedDescriptor& watched, Until until, std::vector<Ending>& endings) {
  endings.push_back(ending_of(co_await watched.wait(Readiness::readable, until)));
}

Task<std::vector<Ending>> wait_send_wait(Runtime& runtime, SocketPair& sockets) {
  std::vector<Ending> endings;
  const auto watched = runtime.descriptors().watch(sockets.near_end());
  for (int round = 0; round < 2; ++round) {
    const Instant soon = runtime.scheduler().now() + 1ms;
    co_await keep_ending(*watched, soon, endings);
    sockets.send_from_far_end();
    co_await keep_ending(*watched, kNever, endings);
    sockets.receive();
  }
  co_return endings;
}

TEST_F(DescriptorWatchTest, OneWatchServesManyWaits) {
  const std::vector<Ending> endings = run(wait_send_wait(runtime_, sockets_));

  EXPECT_EQ(endings, (std::vector<Ending>{Errc::timed_out, {}, Errc::timed_out, {}}));
}

// The first wait has ended, and its task has not run again, when its cancellation comes.
Task<std::vector<Ending>> cancel_three_waits(Runtime& runtime, int descriptor) {
  Scheduler& scheduler = runtime.scheduler();
  std::vector<Ending> endings;
  TaskGroup group(scheduler);
  Cancellation first(scheduler);
  Cancellation second(scheduler);
  const auto watched = runtime.descriptors().watch(descriptor);
  group.spawn(keep_ending(*watched, Until(kNever, first), endings));
  co_await Yield(scheduler);
  watched->cancel();
  group.spawn(keep_ending(*watched, Until(kNever, second), endings));
  first.cancel();  // too late
  co_await Yield(scheduler);
  second.cancel();
  co_await group.join();
  co_await keep_ending(*watched, Until(kNever, second), endings);
  co_return endings;
}

TEST_F(DescriptorWatchTest, ACancellationEndsItsOwnWaitAndLaterOnesAtOnce) {
  const std::vector<Ending> endings = run(cancel_three_waits(runtime_, sockets_.near_end()));

  EXPECT_EQ(endings, (std::vector<Ending>{Errc::closed, Errc::cancelled, Errc::cancelled}));
}

Task<std::vector<Ending>> cancel_during_wait(Runtime& runtime, int descriptor,
                                             bool destroy_at_once) {
  Scheduler& scheduler = runtime.scheduler();
  std::vector<Ending> endings;
  TaskGroup group(scheduler);
  auto watched = runtime.descriptors().watch(descriptor);
  watched->cancel();  // nothing waits: nothing happens
  group.spawn(keep_ending(*watched, kNever, endings));
  co_await Yield(scheduler);
  watched->cancel();
  watched->cancel();
  if (destroy_at_once) watched.reset();
  co_await group.join();
  co_return endings;
}

TEST_F(DescriptorWatchTest, CancelEndsTheWaitInProgressOnce) {
  const std::vector<Ending> endings = run(cancel_during_wait(runtime_, sockets_.near_end(), false));

  EXPECT_EQ(endings, (std::vector<Ending>{Errc::closed}));
}

TEST_F(DescriptorWatchTest, AfterCancelTheWatchMayDieBeforeTheTaskRuns) {
  const std::vector<Ending> endings = run(cancel_during_wait(runtime_, sockets_.near_end(), true));

  EXPECT_EQ(endings, (std::vector<Ending>{Errc::closed}));
}

Task<std::vector<Ending>> cancel_then_wait_at_once(Runtime& runtime, SocketPair& sockets) {
  std::vector<Ending> endings;
  TaskGroup group(runtime.scheduler());
  const auto watched = runtime.descriptors().watch(sockets.near_end());
  group.spawn(keep_ending(*watched, kNever, endings));
  co_await Yield(runtime.scheduler());
  watched->cancel();
  sockets.send_from_far_end();
  co_await keep_ending(*watched, kNever, endings);
  co_await group.join();
  co_return endings;
}

TEST_F(DescriptorWatchTest, ANewWaitDoesNotChangeHowTheCancelledOneEnded) {
  const std::vector<Ending> endings = run(cancel_then_wait_at_once(runtime_, sockets_));

  EXPECT_EQ(endings, (std::vector<Ending>{Errc::closed, {}}));
}

// Data comes or not, the deadline is near or far, somebody cancels now or later, in every mixture.
Task<std::vector<Ending>> race(Runtime& runtime, SocketPair& sockets, int rounds) {
  Scheduler& scheduler = runtime.scheduler();
  std::vector<Ending> endings;
  TaskGroup group(scheduler);
  for (int round = 0; round < rounds; ++round) {
    auto watched = runtime.descriptors().watch(sockets.near_end());
    const Duration time = round % 5 == 0 ? Duration(1h) : std::chrono::microseconds(round % 11);
    group.spawn(keep_ending(*watched, scheduler.now() + time, endings));
    co_await Yield(scheduler);
    const bool has_data = round % 3 != 0;
    if (has_data) sockets.send_from_far_end();
    for (int turn = 0; turn < round % 7 * 32; ++turn) co_await Yield(scheduler);
    watched->cancel();
    if (round % 2 == 0) watched.reset();
    co_await group.join();
    if (has_data) sockets.receive();
  }
  co_return endings;
}

TEST_F(DescriptorWatchTest, ReadinessDeadlineAndCancelRaceAndEachWaitEndsOnce) {
  const std::vector<Ending> endings = run(race(runtime_, sockets_, 2'000));

  ASSERT_EQ(endings.size(), 2'000u);
  EXPECT_GT(std::ranges::count(endings, false, &Ending::has_value), 0);
  EXPECT_GT(std::ranges::count(endings, Errc::timed_out), 0);
  EXPECT_GT(std::ranges::count(endings, Errc::closed), 0);
}

Task<void> die_during_wait(Runtime& runtime, int descriptor) {
  std::vector<Ending> endings;
  TaskGroup group(runtime.scheduler());
  auto watched = runtime.descriptors().watch(descriptor);
  group.spawn(keep_ending(*watched, kNever, endings));
  co_await Yield(runtime.scheduler());
  watched.reset();
}

TEST(DescriptorWatchDeathTest, AWatchThatDiesDuringAWaitStopsTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";

  const auto die = [] {
    Runtime runtime;
    SocketPair sockets;
    run_blocking(runtime.scheduler(), die_during_wait(runtime, sockets.near_end()));
  };

  EXPECT_DEATH(die(), "a descriptor's watch died during a wait");
}

}  // namespace
}  // namespace forebay
