// Thousands of streams at once on one loop, all open at the same time, that end cleanly; and what
// reading and writing cost in memory.
#include <array>
#include <memory>

#include <gtest/gtest.h>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/env/stream_network.hpp"
#include "forebay/env/task_group.hpp"
#include "support/counted_allocations.hpp"
#include "support/stream_tasks.hpp"

namespace forebay::real {
namespace {

using namespace std::chrono_literals;
using test::write_text;

// Under sanitizers the frames of coroutines are not kept, so each call has one of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kFramesACall = 1;
#else
constexpr int kFramesACall = 0;
#endif

class Crowd {
 public:
  Crowd(Scheduler& scheduler, StreamNetwork& network, int size)
      : scheduler_(scheduler), network_(network), size_(size), tasks_(scheduler) {}

  // How many of them were served, while all were open.
  Task<int> run() {
    Result<std::unique_ptr<StreamListener>> listener =
        network_.listen(StreamAddress::tcp("127.0.0.1", 0));
    listener_ = std::move(*listener);
    tasks_.spawn(accept_all());
    for (int i = 0; i < size_; ++i) tasks_.spawn(call(i));
    co_await tasks_.join();
    listener_.reset();
    co_return served_;
  }

 private:
  Task<void> accept_all() {
    for (int i = 0; i < size_; ++i) {
      Result<std::unique_ptr<ByteStream>> stream = co_await listener_->accept(kNever);
      EXPECT_TRUE(stream.has_value()) << stream.error().text();
      if (stream) tasks_.spawn(serve(std::move(*stream)));
    }
  }
  Task<void> serve(std::unique_ptr<ByteStream> stream) {
    const Result<void> echoed = co_await test::echo(*stream, kNever);
    EXPECT_TRUE(echoed.has_value()) << echoed.error().text();
  }
  Task<void> call(int number) {
    const Result<std::unique_ptr<ByteStream>> stream =
        co_await network_.connect(listener_->address(), kNever);
    EXPECT_TRUE(stream.has_value()) << stream.error().text();
    ++connected_;
    while (connected_ < size_) co_await sleep_for(scheduler_, 1ms);
    if (!stream) co_return;
    const std::string text = "caller " + std::to_string(number) + std::string(500, '.');
    const Result<void> written = co_await write_text(**stream, text, kNever);
    EXPECT_TRUE(written.has_value()) << written.error().text();
    const Result<void> finished = co_await (*stream)->finish(kNever);
    EXPECT_TRUE(finished.has_value()) << finished.error().text();
    const Result<std::string> back = co_await test::read_to_end(**stream, kNever);
    EXPECT_TRUE(back.has_value()) << back.error().text();
    if (back && *back == text) ++served_;
  }

  Scheduler& scheduler_;
  StreamNetwork& network_;
  const int size_;
  TaskGroup tasks_;
  std::unique_ptr<StreamListener> listener_;
  int connected_ = 0;
  int served_ = 0;
};

Task<int> run_crowd(Runtime& runtime, int size) {
  Crowd crowd(runtime.scheduler(), runtime.streams(), size);
  co_return co_await crowd.run();
}

TEST(StreamCrowdTest, TwoThousandStreamsAreOpenAtOnceAndEndCleanly) {
  Runtime runtime;
  EXPECT_EQ(run_blocking(runtime.scheduler(), run_crowd(runtime, 2000)), 2000);
}

struct Counts {
  int written = 0;
  int read_at_once = 0;
  int read_after_waiting = 0;
};

// Lets the reader wait first.
Task<void> write_later(Scheduler& scheduler, ByteStream& stream, int times) {
  const std::array<std::byte, 1> byte{};
  const ConstBytes piece(byte);
  for (int i = 0; i < times; ++i) {
    co_await Yield(scheduler);
    const Result<void> written = co_await stream.write(std::span(&piece, 1), kNever);
    if (!written) std::abort();
    co_await sleep_for(scheduler, 200us);
  }
}

Task<void> read_bytes(ByteStream& stream, int times) {
  std::byte byte{};
  for (int i = 0; i < times; ++i) {
    const Result<std::size_t> got = co_await stream.read(Bytes(&byte, 1), kNever);
    if (!got || *got != 1) std::abort();
  }
}

Task<void> write_bytes(ByteStream& stream, int times) {
  const std::array<std::byte, 2> bytes{};
  const std::array<ConstBytes, 2> pieces{ConstBytes(bytes).first(1), ConstBytes(bytes).last(1)};
  for (int i = 0; i < times; ++i) {
    const Result<void> written = co_await stream.write(pieces, kNever);
    if (!written) std::abort();
  }
}

Task<int> allocations_while(Task<void> task) {
  test::allocations = 0;
  test::is_counting = true;
  co_await std::move(task);
  test::is_counting = false;
  co_return test::allocations;
}

Task<Counts> count_allocations(Runtime& runtime, ByteStream& near, ByteStream& far, int times) {
  Counts counts;
  co_await write_bytes(far, 100);  // warm up
  co_await read_bytes(near, 200);
  counts.written = co_await allocations_while(write_bytes(far, times / 2));
  counts.read_at_once = co_await allocations_while(read_bytes(near, times));
  TaskGroup group(runtime.scheduler());
  group.spawn(write_later(runtime.scheduler(), far, times));
  counts.read_after_waiting = co_await allocations_while(read_bytes(near, times));
  co_await group.join();
  co_return counts;
}

Task<Counts> counts_of_socket(Runtime& runtime, int times) {
  StreamNetwork& network = runtime.streams();
  Result<std::unique_ptr<StreamListener>> listener =
      network.listen(StreamAddress::tcp("127.0.0.1", 0));
  const auto near = co_await network.connect((*listener)->address(), kNever);
  const auto far = co_await (*listener)->accept(kNever);
  co_return co_await count_allocations(runtime, **near, **far, times);
}

TEST(StreamAllocationTest, ReadingAndWritingAllocateNothing) {
  Runtime runtime;
  constexpr int kTimes = 1000;
  const Counts counts = run_blocking(runtime.scheduler(), counts_of_socket(runtime, kTimes));

  EXPECT_LE(counts.written, kTimes / 2 * kFramesACall + 2);
  EXPECT_LE(counts.read_at_once, kTimes * kFramesACall + kTimes / 50);
  // Here the writer's calls count, too, and now and then a block of the scheduler's queue.
  EXPECT_LE(counts.read_after_waiting, kTimes * 2 * kFramesACall + kTimes / 10);
}

}  // namespace
}  // namespace forebay::real
