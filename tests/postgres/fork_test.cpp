// A fork in the middle of somebody's connect: libpq's own lock must be free in the child.
#include <atomic>
#include <future>
#include <thread>

#include <libpq-fe.h>
#include <sys/wait.h>
#include <unistd.h>

#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

std::atomic<bool> is_locked = false;
pgthreadlock_t libpqs_own = nullptr;

// libpq's lock, held for long enough that somebody forks meanwhile.
void slow_lock(int acquire) {
  if (acquire == 0) is_locked = false;
  libpqs_own(acquire);
  if (acquire == 0) return;
  is_locked = true;
  std::this_thread::sleep_for(20ms);
}

class ForkTest : public PostgresTest {
 protected:
  static void SetUpTestSuite() { launch(PostgresServerOptions{}); }
  void SetUp() override { libpqs_own = PQregisterThreadLock(&slow_lock); }
  void TearDown() override { PQregisterThreadLock(libpqs_own); }
};

TEST_F(ForkTest, AChildNeverFindsLibpqLocked) {
  Runtime runtime;
  // Without a user libpq asks the system for one, which it does under its lock. Whether there is
  // such a role does not matter.
  Client client(runtime, "host=127.0.0.1 dbname=postgres port=" + std::to_string(server_->port()));
  auto connecting =
      std::async(std::launch::async, [&client] { return client.try_connect().has_value(); });
  while (!is_locked && connecting.wait_for(0s) != std::future_status::ready) {
    std::this_thread::yield();
  }
  ASSERT_TRUE(is_locked) << "libpq has connected without its lock";

  const pid_t child = ::fork();
  if (child == 0) ::_exit(is_locked ? 1 : 0);
  int status = -1;
  ::waitpid(child, &status, 0);

  EXPECT_EQ(status, 0) << "the child has a lock that nobody will ever open";
  connecting.wait();
}

}  // namespace
}  // namespace forebay::postgres
