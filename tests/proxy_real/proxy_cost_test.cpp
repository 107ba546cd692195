// What the proxy asks of the system for a transaction.
#include <atomic>
#include <cerrno>

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "forebay/env/scheduler.hpp"
#include "proxy_real/proxy_fixture.hpp"

namespace {

struct Calls {
  std::atomic<int> reads = 0;
  std::atomic<int> empty_reads = 0;
  std::atomic<int> writes = 0;
  std::atomic<int> interests = 0;
};
Calls calls;

// Those of a loop; clients of these tests have threads of their own.
void note(std::atomic<int>& counter) {
  if (forebay::Scheduler::current() != nullptr) ++counter;
}

}  // namespace

// In the place of the C library's, for this program. Headers that check sizes have an inline recv,
// which clang allows no other beside.
extern "C" ssize_t counted_recv(int socket, void* into, size_t size, int flags) __asm__("recv");
extern "C" ssize_t counted_recv(int socket, void* into, size_t size, int flags) {
  const long got = ::syscall(SYS_recvfrom, socket, into, size, flags, nullptr, nullptr);
  note(got < 0 && errno == EAGAIN ? calls.empty_reads : calls.reads);
  return got;
}
extern "C" ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  note(calls.writes);
  return ::syscall(SYS_sendmsg, socket, message, flags);
}
extern "C" ssize_t send(int socket, const void* from, size_t size, int flags) {
  note(calls.writes);
  return ::syscall(SYS_sendto, socket, from, size, flags, nullptr, 0);
}
extern "C" int epoll_ctl(int poll, int operation, int descriptor, epoll_event* event) noexcept {
  note(calls.interests);
  return static_cast<int>(::syscall(SYS_epoll_ctl, poll, operation, descriptor, event));
}

namespace forebay::proxy {
namespace {

constexpr int kTransactions = 100;
constexpr int kNoise = 5;  // what the pool does meanwhile

using ProxyCostTest = ProxyTest;

TEST_F(ProxyCostTest, ATransactionIsTwoReadsAndTwoWrites) {
  open(2);
  Client client(url());
  ASSERT_TRUE(client.query("SELECT 1").is_ok());
  const int reads = calls.reads;
  const int empty_reads = calls.empty_reads;
  const int writes = calls.writes;
  const int interests = calls.interests;

  for (int i = 0; i < kTransactions; ++i) ASSERT_EQ(client.query("SELECT 1").value, "1");

  EXPECT_LE(calls.reads - reads, 2 * kTransactions + kNoise);
  EXPECT_LE(calls.empty_reads - empty_reads, kNoise);
  EXPECT_NEAR(calls.writes - writes, 2 * kTransactions, kNoise);
  EXPECT_LE(calls.interests - interests, kNoise);
}

}  // namespace
}  // namespace forebay::proxy
