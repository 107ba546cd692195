// What the process does to the library: fork, signals, limits.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "misuse/misuse.hpp"

namespace forebay::misuse {
namespace {

// Each asks for a number of its own, again and again, and counts answers that are another's.
class Workers {
 public:
  explicit Workers(PostgresPool& pool) {
    for (int i = 0; i < 4; ++i) threads_.emplace_back([this, &pool, i] { work(pool, i); });
  }
  ~Workers() { stop(); }
  void stop() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  void wait_for_answers(int more) const {
    const int wanted = right_ + more;
    for (int i = 0; i < 20'000 && right_ < wanted; ++i) std::this_thread::sleep_for(1ms);
    if (right_ < wanted) fail("the workers have stopped");
  }
  int wrong() const { return wrong_; }

 private:
  void work(PostgresPool& pool, int number) {
    for (int i = 0; !is_over_; ++i) {
      PooledSession session = acquire(pool);
      const std::string asked = std::to_string(1'000'000 * number + i);
      ++(answer(session, "SELECT " + asked) == asked ? right_ : wrong_);
    }
  }

  std::atomic<bool> is_over_ = false;
  std::atomic<int> right_ = 0;
  std::atomic<int> wrong_ = 0;
  std::vector<std::thread> threads_;
};

// In the child: 0 if everything of the parent was refused, and what is its own works.
int use_as_child(PostgresPool& pool, PooledSession& inherited, const std::string& url) {
  const Result<PooledSession> session = pool.acquire_blocking(20s);
  if (session || session.error().code() != Errc::closed) return 1;
  print(session.error());
  if (pool.try_acquire()) return 2;
  const auto rows = inherited->exec_blocking("SELECT 1", 20s);
  if (rows || rows.error().code() != Errc::closed) return 3;
  Runtime own;
  const auto own_pool = open_pool(own, url);
  PooledSession own_session = acquire(*own_pool);
  return answer(own_session, "SELECT 7") == "7" ? 0 : 4;
}

void expect_good_end(pid_t child) {
  int status = -1;
  ::waitpid(child, &status, 0);
  if (status != 0) fail("the child ended with " + std::to_string(status));
}

void fork_at_work(const std::string& url) {
  Runtime runtime;
  std::unique_ptr<PostgresPool> pool = open_pool(runtime, url);
  Workers workers(*pool);
  workers.wait_for_answers(100);
  auto inherited = std::make_unique<PooledSession>(acquire(*pool));
  const pid_t child = ::fork();
  if (child == 0) {
    const int verdict = use_as_child(*pool, *inherited, url);
    if (verdict != 0) fail("step " + std::to_string(verdict) + " of the child");
    inherited.reset();
    pool.reset();
    std::exit(0);
  }
  workers.wait_for_answers(1'000);
  expect_good_end(child);
  workers.wait_for_answers(1'000);
  workers.stop();
  if (workers.wrong() > 0) fail(std::to_string(workers.wrong()) + " wrong answers");
  if (answer(*inherited, "SELECT 7") != "7") fail("the parent's session is lost");
}

// Destructors of everything, as when a child returns from main().
void fork_and_return(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  PooledSession session = acquire(*pool);
  const pid_t child = ::fork();
  if (child == 0) return;
  expect_good_end(child);
  print(answer(session, "SELECT 'the parent goes on'"));
}

void fork_and_close(const std::string& url) {
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  if (const pid_t child = ::fork(); child != 0) {
    int status = -1;
    ::waitpid(child, &status, 0);
    std::raise(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  } else {
    pool->close(20s);
  }
}

std::atomic<int> signals_handled = 0;

// This thread takes no signals, so the one that takes one is a thread of the library.
void signal_handler(const std::string& url) {
  std::signal(SIGUSR1, [](int) { ++signals_handled; });
  Runtime runtime;
  const auto pool = open_pool(runtime, url);
  runtime.token_lane();
  runtime.http();
  sigset_t mine;
  sigemptyset(&mine);
  sigaddset(&mine, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &mine, nullptr);
  for (int i = 0; i < 100; ++i) {
    ::kill(::getpid(), SIGUSR1);
    PooledSession session = acquire(*pool);
    answer(session, "SELECT 1");
  }
  sigset_t waiting;
  sigpending(&waiting);
  const bool is_waiting = sigismember(&waiting, SIGUSR1) == 1;
  print(signals_handled == 0 && is_waiting ? "the signal waits for the application"
                                           : "a thread of the library ran the handler");
}

// As much memory as there is now: a thread needs megabytes for its stack.
void leave_no_memory() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (2U << 20);
  const rlimit memory{limit, limit};
  ::setrlimit(RLIMIT_AS, &memory);
}

void no_threads(const std::string&) {
  leave_no_memory();
  const Result<std::unique_ptr<Runtime>> runtime = Runtime::start();
  if (!runtime) print(runtime.error());
}

void no_threads_for_constructor(const std::string&) {
  leave_no_memory();
  const Runtime runtime;
}

// The limit of a user does not hold for root, so this becomes somebody else first.
void no_threads_left_for_user(const std::string&) {
  constexpr uid_t kNobody = 65534;
  if (::getuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) return;
  const rlimit threads{2, 2};
  ::setrlimit(RLIMIT_NPROC, &threads);
  const Result<std::unique_ptr<Runtime>> runtime = Runtime::start();
  if (!runtime) print(runtime.error());
}

}  // namespace

std::vector<Program> process_programs() {
  return {{"fork-at-work", &fork_at_work},
          {"fork-and-return", &fork_and_return},
          {"fork-and-close", &fork_and_close},
          {"signal-handler", &signal_handler},
          {"no-threads", &no_threads},
          {"no-threads-for-constructor", &no_threads_for_constructor},
          {"no-threads-left-for-user", &no_threads_left_for_user}};
}

}  // namespace forebay::misuse
