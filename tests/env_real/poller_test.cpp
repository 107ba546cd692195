// Poller: what it tells, once and again, and what it does not tell.
#include "forebay/env/real/poller.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace forebay::real {
namespace {

using namespace std::chrono_literals;

Instant now() { return Instant(std::chrono::steady_clock::now().time_since_epoch()); }

// One end of a local connection; the other is the test's.
class Socket final : public Poller::Watched {
 public:
  Socket() : Socket(make_pair()) {}
  ~Socket() {
    ::close(descriptor());
    hang_up();
  }

  void send() { EXPECT_EQ(::write(far_end_, "x", 1), 1); }
  void hang_up() {
    if (far_end_ >= 0) ::close(std::exchange(far_end_, -1));
  }
  void read() {
    char byte = 0;
    EXPECT_EQ(::read(descriptor(), &byte, 1), 1);
  }
  // Since the last call.
  std::vector<Poller::Events> take_news() { return std::exchange(news_, {}); }

 private:
  static std::array<int, 2> make_pair() {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    return ends;
  }
  explicit Socket(std::array<int, 2> ends) : Watched(ends[0], &note), far_end_(ends[1]) {}
  static void note(Watched& watched, Poller::Events events) {
    static_cast<Socket&>(watched).news_.push_back(events);
  }

  int far_end_;
  std::vector<Poller::Events> news_;
};

using News = std::vector<Poller::Events>;

class PollerTest : public testing::Test {
 protected:
  ~PollerTest() override { poller_.forget(socket_); }

  // How often the loop goes round in that time.
  int rounds_within(Duration time) {
    poller_.set_alarm(now() + time);
    int rounds = 1;
    while (!poller_.wait(true)) ++rounds;
    poller_.set_alarm(kNever);
    return rounds;
  }

  Poller poller_;
  Socket socket_;
};

TEST_F(PollerTest, WhatIsWantedIsToldOnceAndAgainWhenItIsWantedAgain) {
  ASSERT_EQ(poller_.want(socket_, Poller::kRead), 0);
  poller_.wait(false);
  EXPECT_EQ(socket_.take_news(), News()) << "nothing is there";

  socket_.send();
  poller_.wait(false);
  EXPECT_EQ(socket_.take_news(), (News{Poller::kRead}));
  poller_.wait(false);
  EXPECT_EQ(socket_.take_news(), News()) << "it was not wanted again";
  ASSERT_EQ(poller_.want(socket_, Poller::kRead), 0);
  poller_.wait(false);

  EXPECT_EQ(socket_.take_news(), (News{Poller::kRead})) << "it is still there, unread";
}

TEST_F(PollerTest, WhatComesBeforeItIsWantedIsTold) {
  ASSERT_EQ(poller_.add(socket_, Poller::kRead), 0);
  socket_.send();
  poller_.wait(false);
  EXPECT_EQ(socket_.take_news(), News());

  ASSERT_EQ(poller_.want(socket_, Poller::kRead), 0);
  poller_.wait(false);

  EXPECT_EQ(socket_.take_news(), (News{Poller::kRead}));
}

TEST_F(PollerTest, BothDirectionsAreToldApart) {
  ASSERT_EQ(poller_.want(socket_, Poller::kRead | Poller::kWrite), 0);
  poller_.wait(false);
  EXPECT_EQ(socket_.take_news(), (News{Poller::kWrite}));

  socket_.send();
  poller_.wait(false);

  EXPECT_EQ(socket_.take_news(), (News{Poller::kRead})) << "that was wanted all the time";
}

TEST_F(PollerTest, WhatIsNotWantedAnyMoreIsNotTold) {
  ASSERT_EQ(poller_.want(socket_, Poller::kRead), 0);
  Poller::unwant(socket_);
  socket_.send();

  poller_.wait(false);

  EXPECT_EQ(socket_.take_news(), News());
}

TEST_F(PollerTest, ABrokenDescriptorIsToldToWhoeverWaits) {
  ASSERT_EQ(poller_.want(socket_, Poller::kRead), 0);
  socket_.hang_up();
  poller_.wait(false);

  EXPECT_EQ(socket_.take_news(), (News{Poller::kRead}));
}

// The system reports it again and again, and an end of the other side even to those who never
// asked.
TEST_F(PollerTest, WhatNobodyWantsDoesNotKeepTheLoopAwake) {
  ASSERT_EQ(poller_.want(socket_, Poller::kRead | Poller::kWrite), 0);
  poller_.wait(false);
  Poller::unwant(socket_);
  socket_.send();
  EXPECT_LE(rounds_within(2ms), 3) << "unread bytes";

  socket_.hang_up();

  EXPECT_LE(rounds_within(2ms), 3) << "the end";
  ASSERT_EQ(poller_.want(socket_, Poller::kRead), 0);
  socket_.take_news();
  poller_.wait(false);
  EXPECT_EQ(socket_.take_news(), (News{Poller::kRead})) << "and who asks is told";
}

TEST_F(PollerTest, WhatIsForgottenIsNotToldAndMayComeBack) {
  ASSERT_EQ(poller_.want(socket_, Poller::kRead), 0);
  socket_.send();
  poller_.forget(socket_);
  poller_.wait(false);
  EXPECT_EQ(socket_.take_news(), News());

  ASSERT_EQ(poller_.want(socket_, Poller::kRead), 0);
  poller_.wait(false);

  EXPECT_EQ(socket_.take_news(), (News{Poller::kRead}));
}

TEST_F(PollerTest, ADescriptorIsWatchedOnceAtATime) {
  ASSERT_EQ(poller_.add(socket_, Poller::kRead), 0);

  Poller::Watched same(socket_.descriptor(), nullptr);
  Poller::Watched none(-1, nullptr);

  EXPECT_EQ(poller_.want(same, Poller::kRead), EEXIST);
  EXPECT_EQ(poller_.want(none, Poller::kRead), EBADF);
}

TEST_F(PollerTest, TheAlarmRingsUntilItIsSetAgain) {
  poller_.set_alarm(Instant());
  EXPECT_TRUE(poller_.wait(true)) << "a time that has passed";
  EXPECT_TRUE(poller_.wait(true));
  poller_.set_alarm(now() + 1h);
  EXPECT_FALSE(poller_.wait(false));
  poller_.set_alarm(kNever);
  EXPECT_FALSE(poller_.wait(false));

  const Instant due = now() + 1ms;
  poller_.set_alarm(due);

  EXPECT_TRUE(poller_.wait(true));
  EXPECT_GE(now(), due);
}

TEST_F(PollerTest, AnotherThreadWakesItAlsoBeforeItSleeps) {
  poller_.wake();
  EXPECT_FALSE(poller_.wait(true));
  std::thread other([this] { poller_.wake(); });

  EXPECT_FALSE(poller_.wait(true));

  other.join();
}

// A thread takes its connections out of the loop while the loop hears of them.
TEST_F(PollerTest, OtherThreadsForgetWhatIsReady) {
  constexpr int kRounds = 2'000;
  std::atomic<int> round = 0;
  std::atomic<int> forgotten = 0;
  std::thread other([&] {
    for (int i = 1; i <= kRounds; ++i) {
      while (round < i) std::this_thread::yield();
      poller_.forget(socket_);
      forgotten = i;
      poller_.wake();
    }
  });

  for (int i = 1; i <= kRounds; ++i) {
    ASSERT_EQ(poller_.add(socket_, Poller::kRead), 0);
    socket_.send();
    round = i;
    while (forgotten < i) poller_.wait(true);
    socket_.read();
  }

  other.join();
  EXPECT_EQ(socket_.take_news(), News());
}

}  // namespace
}  // namespace forebay::real
