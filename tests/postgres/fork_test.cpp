// A fork in the middle of somebody's connect: libpq's own lock must be free in the child.
#include <atomic>
#include <fstream>
#include <future>
#include <string>
#include <thread>

#include <libpq-fe.h>
#include <sys/wait.h>
#include <unistd.h>

#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

std::atomic<bool> is_locked = false;
std::atomic<pid_t> forker = 0;  // the thread that forks, from the moment in which it begins
std::atomic<bool> has_forked = false;
pgthreadlock_t libpqs_own = nullptr;

bool does_forker_sleep() {
  std::ifstream file("/proc/self/task/" + std::to_string(forker) + "/stat");
  std::string line;
  std::getline(file, line);  // its id, its name in brackets, its state
  return line.find(") S ") != std::string::npos;
}

// libpq's lock, held until the fork waits for it, or has not waited for it.
void slow_lock(int acquire) {
  if (acquire == 0) is_locked = false;
  libpqs_own(acquire);
  if (acquire == 0) return;
  is_locked = true;
  while (!has_forked && (forker == 0 || !does_forker_sleep())) std::this_thread::yield();
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

  forker = ::gettid();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(is_locked ? 1 : 0);
  has_forked = true;
  int status = -1;
  ::waitpid(child, &status, 0);

  EXPECT_EQ(status, 0) << "the child has a lock that nobody will ever open";
  connecting.wait();
}

}  // namespace
}  // namespace forebay::postgres
