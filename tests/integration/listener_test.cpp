// What a Listener hears on a real server: everything in order, over replaced, killed and closed
// sessions, and a gap where it may have missed something.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "integration/transaction_fixture.hpp"

namespace forebay::test {
namespace {

using postgres::Listener;
using postgres::ListenerEvent;
using postgres::ListenerOptions;
using postgres::notify;
using postgres::notify_blocking;

class ListenerTest : public TransactionFixture {
 protected:
  void SetUp() override {
    launch({});
    pool = open_pool(of_size(3));
  }
  std::unique_ptr<Listener> listen(std::vector<std::string> channels,
                                   const ListenerOptions& options = {}) {
    auto opened = Listener::open(*pool, std::move(channels), options);
    EXPECT_TRUE(opened.has_value()) << opened.error();
    return opened ? std::move(*opened) : nullptr;
  }
  void say(const std::string& channel, const std::string& payload) {
    const Result<void> said = notify_blocking(*pool, channel, payload);
    EXPECT_TRUE(said.has_value()) << said.error();
  }
  static std::string next(Listener& listener, Duration timeout = 30s) {
    const Result<ListenerEvent> event = listener.next_blocking(timeout);
    if (!event) return std::string(name(event.error().code()));
    if (event->is_gap()) {
      std::printf("gap: %s\n", event->why().c_str());
      return "gap";
    }
    return event->notification().channel + ": " + event->notification().payload;
  }
  void kill_sessions() {
    ASSERT_TRUE(ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'")
                    .has_value());
  }

  std::unique_ptr<PostgresPool> pool;
};

TEST_F(ListenerTest, HearsItsChannelsAndNoOthers) {
  const auto listener = listen({"orders", "Pri\"ces; DROP"});
  say("orders", "1");
  say("other", "2");
  say("Pri\"ces; DROP", "3");
  say("orders", "");
  EXPECT_EQ(next(*listener), "orders: 1");
  EXPECT_EQ(next(*listener), "Pri\"ces; DROP: 3");
  EXPECT_EQ(next(*listener), "orders: ");
  EXPECT_EQ(next(*listener, 50ms), "timed_out");

  const auto session = pool->acquire_blocking(20s);
  const int backend = (*session)->query_one_blocking<int>("SELECT pg_backend_pid()").value();
  ASSERT_TRUE((*session)->exec_blocking("NOTIFY orders, 'who'").has_value());
  EXPECT_EQ(listener->next_blocking(30s)->notification().backend, backend);
}

TEST_F(ListenerTest, ThousandsComeInTheirOrder) {
  const auto listener = listen({"orders"});
  std::thread sender([this] {
    for (int n = 0; n < 5000; n += 100) {
      const auto sent = pool->exec_blocking(
          "SELECT pg_notify('orders', n::text) FROM generate_series($1::int, $1::int + 99) n", n);
      EXPECT_TRUE(sent.has_value());
    }
  });
  for (int n = 0; n < 5000; ++n) ASSERT_EQ(next(*listener), "orders: " + std::to_string(n));
  sender.join();
}

TEST_F(ListenerTest, AKilledSessionIsReplacedAndTheGapIsTold) {
  const auto listener = listen({"orders"});
  say("orders", "before");
  EXPECT_EQ(next(*listener), "orders: before");
  kill_sessions();
  EXPECT_EQ(next(*listener), "gap");
  // A session that was killed with the others may have taken over for a moment: then there is one
  // more gap, in which a word can be lost.
  std::string heard = "gap";
  for (int tries = 0; tries < 5 && heard == "gap"; ++tries) {
    say("orders", "after");
    heard = next(*listener);
  }
  EXPECT_EQ(heard, "orders: after");
}

// Numbers are sent all the time, while each session lives for about a second.
TEST_F(ListenerTest, ASessionThatGrowsOldIsReplacedWithoutAGapAndNothingComesTwice) {
  PoolOptions options = of_size(4);
  options.lifetime = 1200ms;
  options.lifetime_jitter = Duration::zero();
  options.guard_window = 200ms;
  options.longest_transaction = 100ms;
  pool = open_pool(options);
  ListenerOptions roomy;
  roomy.queue_size = 1'000'000;  // the sender may be faster than we are
  const auto listener = listen({"orders"}, roomy);
  std::atomic<int> sent = 0;
  std::jthread sender([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (notify_blocking(*pool, "orders", std::to_string(sent)).has_value()) ++sent;
    }
  });
  const auto end = std::chrono::steady_clock::now() + 5s;
  int heard = 0;
  while (std::chrono::steady_clock::now() < end) {
    ASSERT_EQ(next(*listener), "orders: " + std::to_string(heard));
    ++heard;
  }
  sender.request_stop();
  sender.join();
  while (heard < sent) ASSERT_EQ(next(*listener), "orders: " + std::to_string(heard++));
  EXPECT_EQ(next(*listener, 50ms), "timed_out");
  EXPECT_GE(pool->statistics().counters.opened, 6u) << "sessions came and went meanwhile";
}

TEST_F(ListenerTest, WithoutASecondSessionTheReplacementIsAGap) {
  PoolOptions options = of_size(1);
  options.lifetime = 1200ms;
  options.lifetime_jitter = Duration::zero();
  options.guard_window = 200ms;
  options.longest_transaction = 100ms;
  pool = open_pool(options);
  ListenerOptions hasty;
  hasty.handover_timeout = 100ms;
  const auto listener = listen({"orders"}, hasty);
  EXPECT_EQ(next(*listener), "gap");
  ASSERT_TRUE(ask("NOTIFY orders, 'still there'").has_value());
  EXPECT_EQ(next(*listener), "orders: still there");
}

TEST_F(ListenerTest, AFullQueueIsAGapAndNotMemory) {
  ListenerOptions small;
  small.queue_size = 3;
  const auto listener = listen({"orders"}, small);
  ASSERT_TRUE(
      ask("SELECT pg_notify('orders', n::text) FROM generate_series(1, 1000) n").has_value());
  EXPECT_EQ(next(*listener), "orders: 1");
  EXPECT_EQ(next(*listener), "orders: 2");
  EXPECT_EQ(next(*listener), "orders: 3");
  EXPECT_EQ(next(*listener), "gap");
  while (next(*listener, 300ms) != "timed_out") {
  }
  say("orders", "later");
  EXPECT_EQ(next(*listener), "orders: later");
}

TEST_F(ListenerTest, ItCountsAsAnyOtherSessionAndLeavesNothingBehind) {
  pool = open_pool(of_size(1));
  {
    const auto listener = listen({"orders"});
    EXPECT_EQ(pool->statistics().lent, 1);
    EXPECT_EQ(sessions(), 1);
    EXPECT_EQ(pool->within(50ms).exec_blocking("SELECT 1").error().code(), Errc::timed_out);
  }
  EXPECT_EQ(pool->query_one_blocking<int>("SELECT count(*) FROM pg_listening_channels()").value(),
            0);
}

TEST_F(ListenerTest, APoolThatClosesEndsIt) {
  const auto listener = listen({"orders"});
  say("orders", "last");
  EXPECT_TRUE(pool->close(20s));
  EXPECT_EQ(next(*listener), "orders: last") << "what was heard is told";
  EXPECT_EQ(next(*listener), "closed");
}

TEST_F(ListenerTest, CloseEndsTheWaitOfAnotherThread) {
  const auto listener = listen({"orders"});
  std::thread waiter([&] { EXPECT_EQ(next(*listener, 1h), "closed"); });
  std::this_thread::sleep_for(50ms);
  listener->close();
  waiter.join();
}

Task<std::string> hear_by_task(PostgresPool& pool, Listener& listener) {
  const Result<void> said = co_await notify(pool, "orders", "by task");
  if (!said) co_return said.error().text();
  const Instant deadline = pool.env().scheduler.now() + 30s;
  const Result<ListenerEvent> event = co_await listener.next(deadline);
  co_return event ? event->notification().payload : event.error().text();
}

TEST_F(ListenerTest, TasksHearToo) {
  const auto listener = listen({"orders"});
  EXPECT_EQ(run_blocking(runtime.scheduler(), hear_by_task(*pool, *listener)), "by task");
}

TEST_F(ListenerTest, ATransactionSaysItWhenItIsCommitted) {
  const auto listener = listen({"orders"});
  const auto say_and_fail = [](Transaction& transaction) -> Result<void> {
    const Result<void> said = notify_blocking(transaction, "orders", "never");
    return said ? failure(Errc::invalid, "no") : said;
  };
  const auto say_it = [](Transaction& transaction) {
    return notify_blocking(transaction, "orders", "committed");
  };
  EXPECT_FALSE(pool->transaction_blocking(say_and_fail).has_value());
  EXPECT_TRUE(pool->transaction_blocking(say_it).has_value());
  EXPECT_EQ(next(*listener), "orders: committed");
}

TEST_F(ListenerTest, WhatCannotListenSaysSo) {
  EXPECT_EQ(Listener::open(*pool, {}).error().code(), Errc::invalid);
  PoolOptions options = of_size(1);
  options.initial_failure = InitialFailure::keep_trying;
  options.initial_fill_limit = 1ms;
  const auto dsql = open_pool_at("host=abc.dsql.us-east-1.on.aws user=admin password=x", options);
  const Error error = Listener::open(*dsql, {"orders"}).error();
  EXPECT_EQ(error.code(), Errc::invalid);
  EXPECT_TRUE(error.text().contains("no LISTEN")) << error;
}

}  // namespace
}  // namespace forebay::test
