// async_start: Asio applications await forebay tasks with the completion token they like.
#include <array>
#include <memory>
#include <thread>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "forebay/asio.hpp"
#include "forebay/base/error.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

Task<int> answer(Scheduler& scheduler) {
  co_await sleep_for(scheduler, 1ms);
  co_return 42;
}

Task<int> answer_at_once() { co_return 42; }

Task<Result<std::unique_ptr<int>>> owned_answer(Scheduler& scheduler) {
  co_await Yield(scheduler);
  co_return std::make_unique<int>(42);
}

Task<std::unique_ptr<int>> bare_owned_answer() { co_return std::make_unique<int>(42); }

Task<Result<int>> refusal() { co_return failure(Errc::refused, "no"); }

Task<void> set(int& target) {
  target = 42;
  co_return;
}

class AsioBridgeTest : public testing::Test {
 protected:
  Scheduler& scheduler() { return runtime_.scheduler(); }
  asio::io_context::executor_type executor() { return application_.get_executor(); }

  Runtime runtime_;
  asio::io_context application_;
};

TEST_F(AsioBridgeTest, ACallbackRunsOnTheFallbackExecutor) {
  int result = 0;
  std::thread::id thread;
  async_start(scheduler(), answer(scheduler()), executor(), [&](int value) {
    result = value;
    thread = std::this_thread::get_id();
  });

  application_.run();

  EXPECT_EQ(result, 42) << "run() had work until the answer came";
  EXPECT_EQ(thread, std::this_thread::get_id());
}

TEST_F(AsioBridgeTest, ACallbackNeverRunsInsideTheInitiatingCall) {
  int result = 0;

  async_start(scheduler(), answer_at_once(), executor(), [&result](int value) { result = value; });
  const int result_after_call = result;
  application_.run();

  EXPECT_EQ(result_after_call, 0);
  EXPECT_EQ(result, 42);
}

TEST_F(AsioBridgeTest, ACallbackWithAnExecutorOfItsOwnRunsThere) {
  asio::io_context other;
  std::unique_ptr<int> result;
  async_start(scheduler(), bare_owned_answer(), executor(),
              asio::bind_executor(other.get_executor(), [&result](std::unique_ptr<int> value) {
                result = std::move(value);
              }));

  const std::size_t handlers_on_fallback = application_.run();
  other.run();

  EXPECT_EQ(handlers_on_fallback, 0u);
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(*result, 42);
}

TEST_F(AsioBridgeTest, ACallbackMayOwnWhatCanOnlyBeMoved) {
  int result = 0;
  async_start(
      scheduler(), answer(scheduler()), asio::make_strand(application_),
      [&result, offset = std::make_unique<int>(1)](int value) { result = value + *offset; });

  application_.run();

  EXPECT_EQ(result, 43);
}

TEST_F(AsioBridgeTest, ACallbackForATaskWithoutResultTakesNothing) {
  int target = 0;
  bool has_completed = false;
  async_start(scheduler(), set(target), executor(), [&has_completed] { has_completed = true; });

  application_.run();

  EXPECT_TRUE(has_completed);
  EXPECT_EQ(target, 42);
}

TEST_F(AsioBridgeTest, AFutureGetsTheResult) {
  auto number = async_start(scheduler(), answer(scheduler()), executor(), asio::use_future);
  auto owned = async_start(scheduler(), owned_answer(scheduler()), executor(), asio::use_future);

  const int result = number.get();
  const Result<std::unique_ptr<int>> owned_result = owned.get();

  EXPECT_EQ(result, 42);
  ASSERT_TRUE(owned_result.has_value());
  EXPECT_EQ(**owned_result, 42);
}

TEST_F(AsioBridgeTest, AFutureOfATaskWithoutResultBecomesReady) {
  int target = 0;

  async_start(scheduler(), set(target), executor(), asio::use_future).get();

  EXPECT_EQ(target, 42);
}

asio::awaitable<void> await_all(Scheduler& scheduler, int& sum, int& target) {
  const auto executor = co_await asio::this_coro::executor;
  sum += co_await async_start(scheduler, answer(scheduler), executor, asio::use_awaitable);
  const std::unique_ptr<int> bare =
      co_await async_start(scheduler, bare_owned_answer(), executor, asio::use_awaitable);
  sum += *bare;
  const Result<std::unique_ptr<int>> owned =
      co_await async_start(scheduler, owned_answer(scheduler), executor, asio::use_awaitable);
  sum += **owned;
  const Result<int> refused =
      co_await async_start(scheduler, refusal(), executor, asio::use_awaitable);
  sum += refused ? 1 : 0;
  co_await async_start(scheduler, set(target), executor, asio::use_awaitable);
}

TEST_F(AsioBridgeTest, AnAwaitableAwaitsTasksOfEveryKind) {
  int sum = 0;
  int target = 0;
  asio::co_spawn(application_, await_all(scheduler(), sum, target), asio::detached);

  application_.run();

  EXPECT_EQ(sum, 3 * 42);
  EXPECT_EQ(target, 42);
}

asio::awaitable<void> await_many(Scheduler& scheduler, int rounds, int& sum) {
  const auto executor = co_await asio::this_coro::executor;
  for (int round = 0; round < rounds; ++round) {
    sum += co_await async_start(scheduler, answer_at_once(), executor, asio::use_awaitable);
  }
}

TEST_F(AsioBridgeTest, ManyAwaitablesOnTwoThreadsShareTheScheduler) {
  std::array<int, 8> sums{};
  for (int& sum : sums) {
    asio::co_spawn(asio::make_strand(application_), await_many(scheduler(), 500, sum),
                   asio::detached);
  }

  std::thread helper([this] { application_.run(); });
  application_.run();
  helper.join();

  for (const int sum : sums) EXPECT_EQ(sum, 500 * 42);
}

}  // namespace
}  // namespace forebay
