// What streams ask of the system: an exchange of short messages is a write and a read each way.
#include <atomic>
#include <cerrno>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/stream_network.hpp"
#include "forebay/env/task_group.hpp"
#include "support/stream_tasks.hpp"

namespace {
std::atomic<int> empty_reads = 0;
}

// In the place of the C library's, for this program. Headers that check sizes have an inline one of
// that name, which clang allows no other beside.
extern "C" ssize_t counted_recv(int socket, void* into, size_t size, int flags) __asm__("recv");
extern "C" ssize_t counted_recv(int socket, void* into, size_t size, int flags) {
  const long got = ::syscall(SYS_recvfrom, socket, into, size, flags, nullptr, nullptr);
  if (got < 0 && errno == EAGAIN) ++empty_reads;
  return got;
}

namespace forebay::real {
namespace {

constexpr int kExchanges = 100;

Task<int> empty_reads_of_exchanges(Scheduler& scheduler, StreamNetwork& network) {
  const auto listener = network.listen(StreamAddress::tcp("127.0.0.1", 0));
  EXPECT_TRUE(listener.has_value());
  const auto near = co_await network.connect((*listener)->address(), kNever);
  const auto far = co_await (*listener)->accept(kNever);
  EXPECT_TRUE(near.has_value() && far.has_value());
  TaskGroup group(scheduler);
  std::optional<Result<void>> echoed;
  group.spawn(test::keep_result(test::echo(**far, kNever), echoed));
  const int before = empty_reads;
  std::array<std::byte, 64> answer;
  for (int i = 0; i < kExchanges; ++i) {
    const Result<void> sent = co_await test::write_text(**near, "a short message", kNever);
    const Result<std::size_t> got = co_await (*near)->read(Bytes(answer), kNever);
    EXPECT_TRUE(sent && got && *got == 15);
  }
  const int found = empty_reads - before;
  (*near)->close();
  co_await group.join();
  co_return found;
}

TEST(StreamCostTest, NobodyReadsAgainWhereTheLastReadFoundTheEnd) {
  Runtime runtime;

  const int found = run_blocking(runtime.scheduler(),
                                 empty_reads_of_exchanges(runtime.scheduler(), runtime.streams()));

  EXPECT_LE(found, 2);  // the first of each
}

}  // namespace
}  // namespace forebay::real
