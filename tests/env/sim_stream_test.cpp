// Simulated streams: whatever is written arrives in order, however it is cut, delayed and split;
// and each way in which a stream can end.
#include "forebay/env/sim/sim_stream.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sleep.hpp"
#include "support/stream_tasks.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;
using test::echo;
using test::error_name;
using test::keep_result;
using test::read_text;
using test::read_to_end;
using test::write_text;
using test::write_texts;
using Side = SimWire::Side;

// A wire between two ends on one scheduler.
struct Pair {
  explicit Pair(const SimStreamOptions& options = {}, std::uint64_t seed = 1)
      : random(seed), wire(std::make_shared<SimWire>(options, random)) {
    auto ends = make_sim_streams(wire, scheduler, scheduler);
    caller = std::move(ends.first);
    called = std::move(ends.second);
  }
  Instant after(Duration time) const { return scheduler.now() + time; }

  SimScheduler scheduler;
  SeededRandom random;
  std::shared_ptr<SimWire> wire;
  std::unique_ptr<SimStream> caller;
  std::unique_ptr<SimStream> called;
};

// What a task answered; nothing: it still waits when nothing is left to do.
template <class T>
std::optional<T> run(Pair& pair, Task<T> task) {
  std::optional<T> result;
  start_detached(pair.scheduler, keep_result(std::move(task), result));
  pair.scheduler.run();
  return result;
}

Task<Result<void>> write_and_finish(ByteStream& stream, std::vector<std::string> texts) {
  Result<void> written = co_await write_texts(stream, std::move(texts), kNever);
  if (!written) co_return written;
  co_return co_await stream.finish(kNever);
}

SimStreamOptions rough(std::size_t capacity) {
  SimStreamOptions options;
  options.least_delay = 1us;
  options.most_delay = 10ms;
  options.capacity = capacity;
  options.is_choppy = true;
  return options;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text;
  return all;
}

RC_GTEST_PROP(SimStreamProperty, WhatIsWrittenArrivesInOrderHoweverItIsSplit, ()) {
  const auto texts = *rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::inRange('a', 'z')));
  const auto capacity = *rc::gen::inRange<std::size_t>(1, 100);
  Pair pair(rough(capacity), *rc::gen::arbitrary<std::uint64_t>());

  std::optional<Result<void>> written;
  std::optional<Result<std::string>> back;
  std::optional<Result<void>> echoed;
  start_detached(pair.scheduler, keep_result(write_and_finish(*pair.caller, texts), written));
  start_detached(pair.scheduler, keep_result(echo(*pair.called, kNever), echoed));
  start_detached(pair.scheduler, keep_result(read_to_end(*pair.caller, kNever), back));
  pair.scheduler.run();

  RC_ASSERT(written.has_value() && written->has_value());
  RC_ASSERT(echoed.has_value() && echoed->has_value());
  RC_ASSERT(back.has_value() && back->has_value());
  RC_ASSERT(**back == joined(texts));
}

RC_GTEST_PROP(SimStreamProperty, TheSameSeedGivesTheSameTimes, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto end_of = [seed] {
    Pair pair(rough(7), seed);
    std::optional<Result<void>> written;
    start_detached(pair.scheduler,
                   keep_result(write_and_finish(*pair.caller, {"one", "two", "three"}), written));
    run(pair, read_to_end(*pair.called, kNever));
    return std::pair(pair.scheduler.now(), pair.scheduler.steps());
  };

  RC_ASSERT(end_of() == end_of());
}

// Reads until the stream breaks, and notes what came before.
Task<void> read_until_broken(ByteStream& stream, std::string& heard, std::string& ending) {
  std::array<std::byte, 3> buffer;
  for (;;) {
    const Result<std::size_t> got = co_await stream.read(Bytes(buffer), kNever);
    if (!got || *got == 0) {
      ending = got ? "end" : error_name(got);
      co_return;
    }
    heard.append(reinterpret_cast<const char*>(buffer.data()), *got);
  }
}

// The stream is cut after each byte in turn: just those before it arrive, and both ends notice.
TEST(SimStreamTest, ACutAfterAnyByteLetsThoseBeforePassAndIsNoticedByBoth) {
  const std::string text = "a message of some bytes";
  for (std::size_t k = 0; k < text.size(); ++k) {
    Pair pair(rough(8), k);
    pair.wire->cut_after(Side::caller, k);
    std::string heard, ending;
    start_detached(pair.scheduler, read_until_broken(*pair.called, heard, ending));
    const auto written = run(pair, write_text(*pair.caller, text, kNever));

    ASSERT_TRUE(written.has_value());
    EXPECT_EQ(error_name(*written), "connection_lost") << "after " << k;
    EXPECT_EQ(heard, text.substr(0, k));
    EXPECT_EQ(ending, "connection_lost");
    EXPECT_EQ(error_name(*run(pair, read_to_end(*pair.caller, kNever))), "connection_lost");
    EXPECT_EQ(error_name(*run(pair, write_text(*pair.called, "x", kNever))), "connection_lost");
  }
}

TEST(SimStreamTest, ACutEndsThoseThatWait) {
  Pair pair;
  std::string heard, ending;
  std::optional<Result<void>> written;
  start_detached(pair.scheduler, read_until_broken(*pair.caller, heard, ending));
  start_detached(pair.scheduler,
                 keep_result(write_text(*pair.called, std::string(100'000, 'x'), kNever), written));
  pair.scheduler.step();
  pair.scheduler.step();

  pair.wire->cut();
  pair.scheduler.run();

  EXPECT_EQ(ending, "connection_lost");
  EXPECT_EQ(error_name(written.value()), "connection_lost");
}

TEST(SimStreamTest, AfterAHalfCloseTheOtherDirectionGoesOn) {
  Pair pair;
  std::optional<Result<void>> asked;
  start_detached(pair.scheduler,
                 keep_result(write_and_finish(*pair.caller, {"a question"}), asked));
  const auto heard = run(pair, read_to_end(*pair.called, kNever));
  EXPECT_EQ(**heard, "a question");

  start_detached(pair.scheduler, keep_result(write_and_finish(*pair.called, {"an answer"}), asked));
  EXPECT_EQ(**run(pair, read_to_end(*pair.caller, kNever)), "an answer");
}

TEST(SimStreamTest, AReadThatRanIntoItsDeadlineHasLostNothing) {
  SimStreamOptions slow;
  slow.least_delay = slow.most_delay = 100ms;
  Pair pair(slow);
  std::optional<Result<void>> written;
  start_detached(pair.scheduler, keep_result(write_text(*pair.caller, "late", kNever), written));

  const auto early = run(pair, read_text(*pair.called, 4, pair.after(99ms)));
  EXPECT_EQ(error_name(*early), "timed_out");
  EXPECT_EQ(pair.scheduler.now(), Instant(99ms));
  EXPECT_EQ(**run(pair, read_text(*pair.called, 4, pair.after(2ms))), "late");
  EXPECT_EQ(pair.scheduler.now(), Instant(100ms));
}

TEST(SimStreamTest, AReadThatIsInterruptedHasLostNothing) {
  Pair pair;
  pair.called->interrupt_read();  // nobody reads yet
  std::optional<Result<std::string>> early;
  start_detached(pair.scheduler, keep_result(read_text(*pair.called, 4, kNever), early));
  pair.scheduler.run();
  pair.called->interrupt_read();
  pair.scheduler.run();
  EXPECT_EQ(error_name(*early), "timed_out");

  ASSERT_TRUE(run(pair, write_text(*pair.caller, "late", kNever))->has_value());
  EXPECT_EQ(**run(pair, read_text(*pair.called, 4, kNever)), "late");
}

TEST(SimStreamTest, ASlowReaderStopsTheWriter) {
  SimStreamOptions small;
  small.capacity = 1000;
  Pair pair(small);
  std::optional<Result<void>> written;
  start_detached(pair.scheduler,
                 keep_result(write_text(*pair.caller, std::string(2500, 'x'), kNever), written));
  pair.scheduler.run();
  EXPECT_FALSE(written.has_value());
  EXPECT_EQ(pair.wire->written_by(Side::caller), 1000u);

  run(pair, read_text(*pair.called, 300, kNever));
  EXPECT_FALSE(written.has_value());
  EXPECT_EQ(pair.wire->written_by(Side::caller), 1300u);

  run(pair, read_text(*pair.called, 2200, kNever));
  EXPECT_TRUE(written.has_value());
}

TEST(SimStreamTest, AWriterGivesUpAtItsDeadline) {
  SimStreamOptions small;
  small.capacity = 10;
  Pair pair(small);

  const auto written = run(pair, write_text(*pair.caller, "far too much", pair.after(1s)));

  EXPECT_EQ(error_name(*written), "timed_out");
  EXPECT_EQ(pair.scheduler.now(), Instant(1s));
}

// The peer's machine is gone: nobody says so, and only deadlines end the waits.
TEST(SimStreamTest, WhenThePeerIsLostOnlyDeadlinesTell) {
  Pair pair;
  pair.wire->fall_silent();

  EXPECT_TRUE(run(pair, write_text(*pair.caller, "hello?", pair.after(1s)))->has_value());
  EXPECT_EQ(error_name(*run(pair, read_to_end(*pair.called, pair.after(5s)))), "timed_out");
  EXPECT_EQ(error_name(*run(pair, read_to_end(*pair.caller, pair.after(5s)))), "timed_out");
  EXPECT_EQ(pair.scheduler.now(), Instant(10s));
}

TEST(SimStreamTest, CloseEndsItsOwnCallsAndTheOtherSideHearsTheEnd) {
  Pair pair;
  std::optional<Result<std::string>> own, other;
  start_detached(pair.scheduler, keep_result(read_to_end(*pair.caller, kNever), own));
  start_detached(pair.scheduler, keep_result(read_to_end(*pair.called, kNever), other));
  pair.scheduler.settle();

  pair.caller->close();
  pair.scheduler.run();

  EXPECT_EQ(error_name(own.value()), "closed");
  EXPECT_EQ(*other.value(), "");
  EXPECT_EQ(error_name(*run(pair, write_text(*pair.called, "x", kNever))), "connection_lost");
  EXPECT_EQ(error_name(*run(pair, write_text(*pair.caller, "x", kNever))), "closed");
}

TEST(SimStreamDeathTest, AStreamThatDiesDuringAReadStopsTheProcess) {
  const auto die = [] {
    Pair pair;
    std::optional<Result<std::string>> heard;
    start_detached(pair.scheduler, keep_result(read_to_end(*pair.caller, kNever), heard));
    pair.scheduler.settle();
    pair.caller.reset();
  };

  EXPECT_DEATH(die(), "a stream died during a read or a write");
}

}  // namespace
}  // namespace forebay::sim
