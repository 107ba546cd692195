// Simulated hosts: who can call whom, how long it takes, and streams that change their scheduler.
#include "forebay/env/sim/sim_network.hpp"

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/timeline.hpp"
#include "support/stream_tasks.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;
using test::error_name;
using test::keep_result;
using test::read_text;
using test::write_text;
using Stream = Result<std::unique_ptr<ByteStream>>;

SimStreamOptions with_delay(Duration delay) {
  SimStreamOptions options;
  options.least_delay = options.most_delay = delay;
  return options;
}

// Two processes on one timeline.
class SimNetworkTest : public testing::Test {
 protected:
  SimNetworkTest() {
    timeline_.join(client_);
    timeline_.join(server_);
  }
  ~SimNetworkTest() override {
    timeline_.leave(client_);
    timeline_.leave(server_);
  }
  void run_until(Instant time) {
    while (timeline_.step_until(time) != nullptr) {
    }
  }
  template <class T>
  std::optional<T> run(SimScheduler& scheduler, Task<T> task, Duration time = 10s) {
    std::optional<T> result;
    start_detached(scheduler, keep_result(std::move(task), result));
    run_until(timeline_.now() + time);
    return result;
  }

  Timeline timeline_;
  SimScheduler client_, server_;
  SimNetwork network_{with_delay(30ms), 7};
  SimHost client_host_{network_, client_, "10.0.0.7"};
  SimHost server_host_{network_, server_, "10.0.0.1"};
  const StreamAddress address_ = StreamAddress::tcp("db.example", 5432);
};

TEST_F(SimNetworkTest, ACallIsAcceptedAfterItsDelayAndBothKnowEachOther) {
  auto listener = server_host_.listen(address_);
  ASSERT_TRUE(listener.has_value());
  std::optional<Stream> accepted;
  start_detached(server_, keep_result((*listener)->accept(kNever), accepted));
  std::optional<Stream> called;
  start_detached(client_, keep_result(client_host_.connect(address_, kNever), called));

  run_until(Instant(29ms));
  EXPECT_FALSE(accepted.has_value());
  run_until(Instant(30ms));
  ASSERT_TRUE(accepted.has_value() && called.has_value());
  EXPECT_EQ((**called)->peer().address, "db.example:5432");
  EXPECT_TRUE((**accepted)->peer().address.starts_with("10.0.0.7:"));

  run(client_, write_text(***called, "hello", kNever), 0s);
  EXPECT_EQ(**run(server_, read_text(***accepted, 5, kNever)), "hello");
  EXPECT_EQ(network_.wires().size(), 1u);
}

TEST_F(SimNetworkTest, NobodyListensOrTheAddressIsTaken) {
  EXPECT_EQ(error_name(*run(client_, client_host_.connect(address_, kNever))), "connect_failed");

  auto listener = server_host_.listen(address_);
  EXPECT_EQ(error_name(client_host_.listen(address_)), "refused");
  (*listener)->close();
  EXPECT_TRUE(client_host_.listen(address_).has_value());
}

TEST_F(SimNetworkTest, AnUnreachableAddressIsSilentUntilTheDeadline) {
  auto listener = server_host_.listen(address_);
  network_.set_reachable(address_, false);
  EXPECT_EQ(error_name(*run(client_, client_host_.connect(address_, Instant(5s)))), "timed_out");

  network_.set_reachable(address_, true);
  EXPECT_TRUE(run(client_, client_host_.connect(address_, kNever))->has_value());
}

TEST_F(SimNetworkTest, AnAcceptEndsByDeadlineOrClose) {
  auto listener = server_host_.listen(address_);
  EXPECT_EQ(error_name(*run(server_, (*listener)->accept(Instant(1s)))), "timed_out");
  std::optional<Stream> accepted;
  start_detached(server_, keep_result((*listener)->accept(kNever), accepted));
  run_until(Instant(20s));
  (*listener)->close();
  run_until(Instant(21s));
  EXPECT_EQ(error_name(accepted.value()), "closed");
}

TEST_F(SimNetworkTest, AStreamMovesToAnotherSchedulerWithWhatIsUnread) {
  SimScheduler other;
  timeline_.join(other);
  SimHost other_host(network_, other, "10.0.0.1");
  auto listener = server_host_.listen(address_);
  std::optional<Stream> called = run(client_, client_host_.connect(address_, kNever));
  std::optional<Stream> accepted = run(server_, (*listener)->accept(kNever));
  run(client_, write_text(***called, "before and after", kNever));
  EXPECT_EQ(**run(server_, read_text(***accepted, 7, kNever)), "before ");

  (**accepted)->leave();
  ASSERT_TRUE((**accepted)->join(other_host).has_value());
  EXPECT_EQ(**run(other, read_text(***accepted, 9, kNever)), "and after");
  timeline_.leave(other);
}

}  // namespace
}  // namespace forebay::sim
