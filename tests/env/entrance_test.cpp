// Where streams come in: who is served, who is not any more, and what happens when nobody can be
// let in for a moment.
#include "forebay/env/entrance.hpp"

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_network.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "support/captured_log.hpp"
#include "support/stream_tasks.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;
using test::keep_result;
using test::read_text;
using test::write_text;

// Lets nobody in for a while.
class FullListener final : public StreamListener {
 public:
  FullListener(std::unique_ptr<StreamListener> inner, int& failures)
      : inner_(std::move(inner)), failures_(failures) {}

  Task<Result<std::unique_ptr<ByteStream>>> accept(Instant deadline) override {
    if (failures_ == 0) co_return co_await inner_->accept(deadline);
    --failures_;
    co_return failure(Errc::limit_reached, "no descriptors");
  }
  void close() override { inner_->close(); }
  const StreamAddress& address() const override { return inner_->address(); }

 private:
  const std::unique_ptr<StreamListener> inner_;
  int& failures_;
};

class FullHost final : public StreamNetwork {
 public:
  FullHost(StreamNetwork& inner, int failures) : inner_(inner), failures_(failures) {}

  Task<Result<std::unique_ptr<ByteStream>>> connect(StreamAddress to, Until until) override {
    co_return co_await inner_.connect(std::move(to), std::move(until));
  }
  Result<std::unique_ptr<StreamListener>> listen(const StreamAddress& at) override {
    Result<std::unique_ptr<StreamListener>> listener = inner_.listen(at);
    if (!listener) return listener;
    return std::unique_ptr<StreamListener>(
        std::make_unique<FullListener>(std::move(*listener), failures_));
  }

 private:
  StreamNetwork& inner_;
  int failures_;
};

// Whoever comes in hears "hello", and is served until it hangs up.
class EntranceTest : public testing::Test {
 protected:
  using Stream = Result<std::unique_ptr<ByteStream>>;

  Entrance::Serve greeting() {
    return [this](std::unique_ptr<ByteStream> stream) { return greet(std::move(stream)); };
  }
  Task<void> greet(std::unique_ptr<ByteStream> stream) {
    ++inside_;
    const auto written = co_await write_text(*stream, "hello", kNever);
    const auto heard = co_await test::read_to_end(*stream, kNever);
    static_cast<void>(written && heard);  // a client may go whenever it likes
    --inside_;
  }
  static Task<void> close_all(Entrance& entrance, std::string& told) {
    co_await entrance.close();
    told = "closed";
    co_await entrance.join();
    told = "all served";
  }
  void run_for(Duration time) { scheduler_.run_until(scheduler_.now() + time); }
  std::optional<Stream> call(const StreamAddress& to) {
    std::optional<Stream> stream;
    start_detached(scheduler_, keep_result(host_.connect(to, kNever), stream));
    run_for(50ms);
    return stream;
  }
  std::string heard(ByteStream& stream) {
    std::optional<Result<std::string>> text;
    start_detached(scheduler_, keep_result(read_text(stream, 5, scheduler_.now() + 50ms), text));
    run_for(50ms);
    return text && *text ? **text : "";
  }

  sim::SimScheduler scheduler_;
  sim::SimNetwork network_{{}, 1};
  sim::SimHost host_{network_, scheduler_, "10.0.0.1"};
  const StreamAddress here_ = StreamAddress::tcp("office.example", 5432);
  int inside_ = 0;
};

TEST_F(EntranceTest, WhoCallsIsServedOnceItIsOpenAndUntilItIsDone) {
  Entrance entrance(scheduler_, host_, greeting());
  ASSERT_TRUE(entrance.listen(here_).has_value());
  std::optional<Stream> early = call(here_);
  ASSERT_TRUE(early && *early);
  EXPECT_EQ(inside_, 0);
  entrance.open();
  EXPECT_EQ(heard(***early), "hello");

  ASSERT_TRUE(entrance.listen(StreamAddress::tcp("office.example", 5433)).has_value());
  entrance.open();
  std::optional<Stream> second = call(StreamAddress::tcp("office.example", 5433));
  ASSERT_TRUE(second && *second);
  EXPECT_EQ(heard(***second), "hello");
  EXPECT_EQ(inside_, 2);

  std::string told;
  start_detached(scheduler_, close_all(entrance, told));
  run_for(50ms);
  EXPECT_EQ(told, "closed");
  const std::optional<Stream> late = call(here_);
  EXPECT_TRUE(late && !*late);
  early.reset();
  run_for(50ms);
  EXPECT_EQ(told, "closed");
  second.reset();
  run_for(50ms);
  EXPECT_EQ(told, "all served");
}

TEST_F(EntranceTest, WhoCannotBeLetInIsLetInLater) {
  const test::CapturedLog log;
  FullHost full(host_, 3);
  Entrance entrance(scheduler_, full, greeting());
  ASSERT_TRUE(entrance.listen(here_).has_value());
  entrance.open();
  std::optional<Stream> caller = call(here_);
  ASSERT_TRUE(caller && *caller);
  run_for(200ms);
  EXPECT_EQ(inside_, 0);
  run_for(100ms);
  EXPECT_EQ(inside_, 1);
  EXPECT_EQ(log.values("Clients cannot be let in", "reason").front(), "no descriptors");

  caller.reset();
  std::string told;
  start_detached(scheduler_, close_all(entrance, told));
  run_for(1s);
  EXPECT_EQ(told, "all served");
}

TEST_F(EntranceTest, WhereSomebodyListensNobodyElseCan) {
  Entrance entrance(scheduler_, host_, greeting());
  ASSERT_TRUE(entrance.listen(here_).has_value());
  EXPECT_EQ(test::error_name(entrance.listen(here_)), "refused");
}

}  // namespace
}  // namespace forebay
