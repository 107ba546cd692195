// Asio's cancellation of an operation reaches the task that does it, from the caller's executor.
#include <array>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "forebay/asio.hpp"
#include "forebay/env/real/runtime.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using asio::cancellation_type;

// Whether it was cancelled before so much time had passed.
Task<bool> pause(Cancellation& cancellation, Duration time) {
  co_return co_await cancellation.wait_until(cancellation.scheduler().now() + time);
}

struct Pause {
  Duration time = 1h;
  Task<bool> operator()(Cancellation& cancellation) const { return pause(cancellation, time); }
};

class AsioCancelTest : public testing::Test {
 protected:
  Scheduler& scheduler() { return runtime_->scheduler(); }
  asio::io_context::executor_type executor() { return application_.get_executor(); }

  asio::io_context application_;
  std::optional<Runtime> runtime_{std::in_place};
};

TEST_F(AsioCancelTest, ASignalOfAnyTypeCancels) {
  for (const cancellation_type type :
       {cancellation_type::terminal, cancellation_type::partial, cancellation_type::total}) {
    asio::cancellation_signal signal;
    std::vector<bool> answers;
    async_start(scheduler(), Pause(), executor(),
                asio::bind_cancellation_slot(
                    signal.slot(), [&](bool is_cancelled) { answers.push_back(is_cancelled); }));

    signal.emit(type);
    signal.emit(type);
    application_.run();
    application_.restart();
    signal.emit(type);

    EXPECT_EQ(answers, std::vector<bool>{true}) << static_cast<int>(type);
  }
}

TEST_F(AsioCancelTest, WithoutASignalItGoesOn) {
  asio::cancellation_signal signal;
  std::optional<bool> is_cancelled;
  async_start(scheduler(), Pause{5ms}, executor(),
              asio::bind_cancellation_slot(signal.slot(), [&](bool x) { is_cancelled = x; }));

  signal.emit(cancellation_type::none);
  application_.run();

  EXPECT_EQ(is_cancelled, false);
}

asio::awaitable<void> race_timer(Scheduler& scheduler, Duration work, Duration limit,
                                 std::size_t& first) {
  using namespace asio::experimental::awaitable_operators;
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, limit);
  const Pause pause_of_work{work};
  auto result = co_await (async_start(scheduler, pause_of_work, executor, asio::use_awaitable) ||
                          timer.async_wait(asio::use_awaitable));
  first = result.index();
}

TEST_F(AsioCancelTest, ATimerBesideItEndsIt) {
  std::size_t first = 7;
  asio::co_spawn(application_, race_timer(scheduler(), 1h, 5ms, first), asio::detached);

  application_.run();

  EXPECT_EQ(first, 1u) << "run() has returned: the pause of an hour is over too";
}

TEST_F(AsioCancelTest, AnAnswerEndsTheTimerBesideIt) {
  std::size_t first = 7;
  asio::co_spawn(application_, race_timer(scheduler(), 5ms, 1h, first), asio::detached);

  application_.run();

  EXPECT_EQ(first, 0u);
}

// The slot remembers the operation, whose scheduler is gone.
TEST_F(AsioCancelTest, ASignalAfterTheRuntimeIsGoneDoesNothing) {
  asio::cancellation_signal signal;
  int answers = 0;
  async_start(scheduler(), Pause{1ms}, executor(),
              asio::bind_cancellation_slot(signal.slot(), [&](bool) { ++answers; }));
  application_.run();

  runtime_.reset();
  signal.emit(cancellation_type::all);

  EXPECT_EQ(answers, 1);
}

// Its handler is destroyed with the context, without being called.
TEST_F(AsioCancelTest, AContextThatNeverRunsMayGoAfterTheRuntime) {
  auto context = std::make_unique<asio::io_context>();
  asio::cancellation_signal signal;
  const auto held = std::make_shared<int>(0);
  async_start(scheduler(), Pause(), context->get_executor(),
              asio::bind_cancellation_slot(signal.slot(), [held](bool) { ++*held; }));

  signal.emit(cancellation_type::terminal);
  runtime_.reset();
  signal.emit(cancellation_type::terminal);
  context.reset();
  signal.slot().clear();

  EXPECT_EQ(*held, 0);
  EXPECT_EQ(held.use_count(), 1);
}

// Signals that meet the end of their operation in every way, on a strand that two threads serve.
class Meeting {
 public:
  Meeting(Scheduler& scheduler, asio::io_context& context, int rounds)
      : scheduler_(scheduler),
        strand_(asio::make_strand(context)),
        timer_(strand_),
        rounds_(rounds) {}

  void start() {
    asio::post(strand_, [this] { begin(); });
  }
  int answers() const { return answers_; }
  int cancelled() const { return cancelled_; }

 private:
  void begin() {
    if (++round_ > rounds_) return;
    const auto handler = [this](bool is_cancelled) {
      ++answers_;
      cancelled_ += is_cancelled ? 1 : 0;
      timer_.cancel();
      begin();
    };
    async_start(
        scheduler_, Pause{std::chrono::microseconds(round_ % 7 * 20)}, strand_,
        asio::bind_executor(strand_, asio::bind_cancellation_slot(signal_.slot(), handler)));
    if (round_ % 5 == 0) return signal_.emit(cancellation_type::total);
    timer_.expires_after(std::chrono::microseconds(round_ % 11 * 20));
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) signal_.emit(cancellation_type::terminal);
    });
  }

  Scheduler& scheduler_;
  asio::strand<asio::io_context::executor_type> strand_;
  asio::steady_timer timer_;
  asio::cancellation_signal signal_;
  const int rounds_;
  int round_ = 0;
  int answers_ = 0;
  int cancelled_ = 0;
};

TEST_F(AsioCancelTest, EveryHandlerIsCalledOnceWhereverTheSignalMeetsIt) {
  static constexpr int kRounds = 500;
  std::vector<std::unique_ptr<Meeting>> meetings;
  for (int i = 0; i < 8; ++i) {
    meetings.push_back(std::make_unique<Meeting>(scheduler(), application_, kRounds));
    meetings.back()->start();
  }

  std::thread helper([this] { application_.run(); });
  application_.run();
  helper.join();

  int cancelled = 0;
  for (const auto& meeting : meetings) {
    EXPECT_EQ(meeting->answers(), kRounds);
    cancelled += meeting->cancelled();
  }
  EXPECT_GT(cancelled, 0);
}

}  // namespace
}  // namespace forebay
