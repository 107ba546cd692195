// Exchange: whom it wakes when connections change hands, and whom it leaves asleep.
#include "forebay/pool/exchange.hpp"

#include <gtest/gtest.h>

#include "core/pool_fixture.hpp"
#include "forebay/detail/env/detached.hpp"
#include "support/fake_connector.hpp"

namespace forebay::test {
namespace {

constexpr int kLoans = 1000;

// A loop that has gone to sleep: it counts how often it is called.
class SleepingLoop final : public Scheduler {
 public:
  Instant now() const override { return time; }
  Instant recent_now() const override { return time; }
  bool is_current_thread() const override { return false; }
  void post(std::coroutine_handle<> task) override {
    ++calls;
    ready_.push_back(task);
  }
  void arm(Timer&, Instant) override {}
  bool disarm(Timer&) override { return false; }
  void run() {
    for (const std::coroutine_handle<> task : std::exchange(ready_, {})) task.resume();
  }

  Instant time = Instant(1h);
  int calls = 0;

 private:
  std::vector<std::coroutine_handle<>> ready_;
};

// Plays the supplier: it has heard all that was said so far, and sleeps until it is called again.
Task<void> listen(Exchange& exchange) {
  while (!exchange.is_closed()) co_await exchange.attention().wait_until(kNever);
}

// So many connections are open, and the supplier sleeps.
class ExchangeTest : public testing::Test {
 protected:
  ~ExchangeTest() override {
    exchange_->close(DiscardReason::closed);
    loop.run();
    collect();
    for (Slot* slot : work_.close) {
      exchange_->decide([&](PoolState& state, WakeList&) { state.remove(*slot); });
      delete static_cast<ConnectionSlot*>(slot);
    }
  }

  void open(int connections, int max) {
    exchange_.emplace(test_rules(max), nullptr, loop);
    for (int i = 0; i < connections; ++i) open_one();
    learn_hold();
    start_detached(loop, listen(*exchange_));
    loop.run();
    loop.calls = 0;
  }
  Exchange& exchange() { return *exchange_; }
  ConnectionSlot* take(int home = kNoHome) {
    return exchange_->try_take(std::source_location::current(), home);
  }
  void give_back(ConnectionSlot& slot) { exchange_->give_back(slot, Holder::thread); }
  Caller in_line() { return Caller(loop.now(), kNever); }

  SleepingLoop loop;

 private:
  void open_one() {
    exchange_->decide([&](PoolState& state, WakeList& wakes) {
      auto* slot = new ConnectionSlot(next_id_++, *state.room().try_approve());
      slot->connection = std::make_unique<FakeConnection>(server_);
      state.add_opening(*slot);
      state.opened(*slot, loop.now(), 1ms, random_, wakes);
    });
  }
  // The first loan that ends while somebody waits tells the supplier how long they last, once.
  void learn_hold() {
    std::vector<ConnectionSlot*> held;
    while (ConnectionSlot* slot = take()) held.push_back(slot);
    Caller caller = in_line();
    exchange_->take_or_wait(caller);
    for (ConnectionSlot* slot : held) give_back(*slot);
    give_back(static_cast<ConnectionSlot&>(*caller.slot));
    collect();
  }
  void collect() {
    work_.clear();
    exchange_->decide([&](PoolState& state, WakeList&) { state.collect(loop.now(), work_); });
  }

  FakeServer server_{loop};
  SeededRandom random_{1};
  std::uint64_t next_id_ = 1;
  PoolWork work_;
  std::optional<Exchange> exchange_;
};

TEST_F(ExchangeTest, AThreadIsLentWhatWasUsedLastOnItsProcessor) {
  open(2, 2);
  const int here = 0;
  const int there = processors() - 1;
  ConnectionSlot* const own = take(here);
  ConnectionSlot* const other = take(there);
  give_back(*own);
  give_back(*other);

  ConnectionSlot* const first = take(here);
  ConnectionSlot* const second = take(here);

  EXPECT_EQ(first, here != there ? own : other);  // the newest, where all have one home
  EXPECT_EQ(second, here != there ? other : own);
  give_back(*first);
  give_back(*second);
}

TEST_F(ExchangeTest, LoansOfAFullPoolDoNotWakeTheLoop) {
  open(2, 2);

  for (int loan = 0; loan < kLoans; ++loan) {
    ConnectionSlot* const slot = take();
    ASSERT_NE(slot, nullptr);
    give_back(*slot);
  }

  EXPECT_EQ(loop.calls, 0);
}

TEST_F(ExchangeTest, CallersInLineOfAFullPoolDoNotWakeTheLoop) {
  open(1, 1);
  ConnectionSlot* held = take();

  for (int loan = 0; loan < kLoans; ++loan) {
    Caller caller = in_line();
    ASSERT_TRUE(exchange().take_or_wait(caller));
    give_back(*held);
    ASSERT_EQ(caller.outcome, WaitOutcome::granted);
    EXPECT_EQ(caller.wakes, 1);
    held = static_cast<ConnectionSlot*>(caller.slot);
  }
  exchange().note_unserved();

  EXPECT_EQ(loop.calls, 0);
  give_back(*held);
}

TEST_F(ExchangeTest, ACallerInLineWakesTheLoopIfAnotherConnectionCouldBeOpened) {
  open(1, 2);
  ConnectionSlot* const held = take();
  Caller caller = in_line();

  ASSERT_TRUE(exchange().take_or_wait(caller));

  EXPECT_EQ(loop.calls, 1);
  give_back(*held);
  give_back(static_cast<ConnectionSlot&>(*caller.slot));
}

TEST_F(ExchangeTest, ACallerWhoDoesNotWaitWakesTheLoopIfAnotherConnectionCouldBeOpened) {
  open(1, 2);
  ConnectionSlot* const held = take();

  exchange().note_unserved();

  EXPECT_EQ(loop.calls, 1);
  give_back(*held);
}

TEST_F(ExchangeTest, ALatecomerFindsNothingWhileSomebodyStandsInLine) {
  open(1, 1);
  ConnectionSlot* const held = take();
  Caller first = in_line();
  Caller second = in_line();
  ASSERT_TRUE(exchange().take_or_wait(first));
  ASSERT_TRUE(exchange().take_or_wait(second));

  give_back(*held);
  const ConnectionSlot* const late = take();

  EXPECT_EQ(late, nullptr);
  EXPECT_EQ(first.outcome, WaitOutcome::granted);
  EXPECT_EQ(second.outcome, WaitOutcome::waiting);

  give_back(static_cast<ConnectionSlot&>(*first.slot));
  const ConnectionSlot* const later = take();

  EXPECT_EQ(later, nullptr);
  EXPECT_EQ(second.outcome, WaitOutcome::granted);
  give_back(static_cast<ConnectionSlot&>(*second.slot));
}

// Whoever is counted as having found nothing has its place in line already.
TEST_F(ExchangeTest, ACallerIsCountedInTheMomentInWhichItJoinsTheLine) {
  open(1, 1);
  ConnectionSlot* const held = take();
  const std::uint64_t before = exchange().statistics().counters.empty;
  Caller caller = in_line();

  ASSERT_TRUE(exchange().take_or_wait(caller));

  EXPECT_EQ(exchange().statistics().counters.empty, before + 1);
  EXPECT_EQ(exchange().statistics().waiters, 1);
  give_back(*held);
  give_back(static_cast<ConnectionSlot&>(*caller.slot));
}

}  // namespace
}  // namespace forebay::test
