// Many clients over few servers: nobody sees another's state, only what is meant is cancelled, and
// the server never refuses a connection.
#include <atomic>
#include <mutex>
#include <random>
#include <set>

#include <fmt/format.h>

#include "proxy_real/proxy_fixture.hpp"
#include "support/load_time.hpp"

namespace forebay::proxy {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class ProxyCrowdTest : public ProxyTest {
 protected:
  // What the server says of connections that it had no room for.
  static std::size_t refusals() {
    const std::string log = server_->log_text();
    std::size_t count = 0;
    for (std::size_t at = log.find("remaining connection slots"); at != std::string::npos;
         at = log.find("remaining connection slots", at + 1))
      ++count;
    for (std::size_t at = log.find("too many clients"); at != std::string::npos;
         at = log.find("too many clients", at + 1))
      ++count;
    return count;
  }
};

// Collects what went wrong, from all threads.
class Complaints {
 public:
  void add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (texts_.size() < 10) texts_.insert(text);
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const std::string& each : texts_) all += each + "\n";
    return all;
  }

 private:
  std::mutex mutex_;
  std::set<std::string> texts_;
};

// A client with a mark of its own in everything that could bleed.
class MarkedClient {
 public:
  MarkedClient(const std::string& url, int number, Complaints& complaints)
      : url_(url + fmt::format("&application_name=client{}", number)),
        mark_(fmt::format("client{}", number)),
        zone_(fmt::format("Etc/GMT-{}", number % 12)),
        complaints_(complaints),
        random_(static_cast<unsigned>(number)) {}

  // False: the connection is gone.
  bool connect() {
    client_.emplace(url_);
    if (!client_->is_connected()) {
      complain("connect", client_->problem());
      return false;
    }
    return ok("SET TimeZone", client_->query(fmt::format("SET TimeZone TO '{}'", zone_))) &&
           ok("prepare", client_->prepare("q", fmt::format("SELECT '{}:' || $1::text", mark_)));
  }
  bool step() {
    switch (random_() % 5) {
      case 0: return same("zone", client_->query("SHOW TimeZone"), zone_);
      case 1: return same("name", client_->query("SHOW application_name"), mark_);
      case 2: return same("prepared", client_->run("q", {"x"}), mark_ + ":x");
      case 3:
        return same("unnamed",
                    client_->execute("SELECT $1::text || current_setting('TimeZone')", {mark_}),
                    mark_ + zone_);
      default: return transaction();
    }
  }
  bool is_lost() const { return PQstatus(client_->get()) != CONNECTION_OK; }

 private:
  bool transaction() {
    if (!ok("begin", client_->query("BEGIN"))) return false;
    const Answer pid = client_->query("SELECT pg_backend_pid()");
    if (!ok("local",
            client_->query(fmt::format("SET LOCAL work_mem TO '{}kB'", 64 + random_() % 1000))) ||
        !same("prepared", client_->run("q", {"y"}), mark_ + ":y") ||
        !same("backend", client_->query("SELECT pg_backend_pid()"), pid.value))
      return false;
    if (random_() % 4 == 0 && client_->query("SELECT 1/0").sqlstate != "22012" && !is_lost())
      complain("error", "missing");
    return ok("end", client_->query(random_() % 2 == 0 ? "COMMIT" : "ROLLBACK"));
  }
  bool ok(const char* what, const Answer& answer) {
    if (!answer.is_ok() && !is_lost()) complain(what, answer.message);
    return answer.is_ok();
  }
  bool same(const char* what, const Answer& answer, const std::string& expected) {
    if (!ok(what, answer)) return false;
    if (answer.value != expected) complain(what, answer.value + " instead of " + expected);
    return answer.value == expected;
  }
  void complain(const char* what, const std::string& text) {
    complaints_.add(fmt::format("{}: {}: {}", mark_, what, text));
  }

  const std::string url_;
  const std::string mark_;
  const std::string zone_;
  Complaints& complaints_;
  std::minstd_rand random_;
  std::optional<Client> client_;
};

TEST_F(ProxyCrowdTest, NobodySeesAnothersState) {
  open(5);
  Complaints complaints;
  std::atomic<int> steps = 0;
  const auto end = steady_clock::now() + test::load_time(30s);
  std::vector<std::thread> threads;
  for (int i = 0; i < 50; ++i) {
    threads.emplace_back([&, i] {
      MarkedClient client(url(), i, complaints);
      if (!client.connect()) return;
      while (steady_clock::now() < end) {
        if (!client.step()) return complaints.add("a client ended early");
        ++steps;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(complaints.text(), "");
  EXPECT_GT(steps, 500);
  EXPECT_LE(pool().open(), 5);
  EXPECT_EQ(refusals(), 0u);
}

TEST_F(ProxyCrowdTest, NorWhenServersAreKilled) {
  open(5);
  Complaints complaints;
  std::atomic<int> steps = 0, losses = 0;
  std::atomic<bool> is_over = false;
  const auto end = steady_clock::now() + test::load_time(30s);
  std::vector<std::thread> threads;
  for (int i = 0; i < 50; ++i) {
    threads.emplace_back([&, i] {
      MarkedClient client(url(), i, complaints);
      bool is_in = client.connect();
      while (steady_clock::now() < end) {
        if (is_in && client.step()) {
          ++steps;
          continue;
        }
        if (is_in && !client.is_lost()) return;
        ++losses;
        is_in = client.connect();
      }
    });
  }
  std::thread killer([&] {
    Client superuser(server_->superuser_url());
    while (!is_over) {
      superuser.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
          "WHERE usename = 'app' ORDER BY random() LIMIT 1");
      std::this_thread::sleep_for(100ms);
    }
  });
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  killer.join();
  EXPECT_EQ(complaints.text(), "");
  EXPECT_GT(steps, 200);
  EXPECT_EQ(refusals(), 0u);
  EXPECT_TRUE(eventually([&] { return pool().lent == 0; }));
}

// Each statement carries a mark; the client knows which of its own it cancelled.
TEST_F(ProxyCrowdTest, OnlyWhatIsMeantIsCancelled) {
  open(kServerLimit);
  Complaints complaints;
  std::atomic<int> cancelled = 0, completed = 0;
  const auto end = steady_clock::now() + test::load_time(30s);
  std::vector<std::thread> threads;
  for (int i = 0; i < 50; ++i) {
    threads.emplace_back([&, i] {
      std::minstd_rand random(static_cast<unsigned>(i));
      Client client(url());
      if (!client.is_connected()) return complaints.add(client.problem());
      for (int n = 0; steady_clock::now() < end; ++n) {
        const bool is_meant = random() % 3 == 0;
        const std::string mark = fmt::format("c{}n{}", i, n);
        const double seconds = is_meant ? 600 : 0.002;
        const std::string sql = fmt::format("SELECT '{}', pg_sleep({})", mark, seconds);
        if (PQsendQuery(client.get(), sql.c_str()) != 1) return complaints.add(client.problem());
        // A cancel that comes before its statement has begun is forgotten, as by a server: again.
        std::atomic<bool> is_answered = false;
        std::thread canceller;
        if (is_meant) {
          canceller = std::thread([&] {
            while (!is_answered) {
              client.cancel();
              std::this_thread::sleep_for(3ms);
            }
          });
        }
        const Answer answer = answer_of(PQgetResult(client.get()), client.get());
        is_answered = true;
        if (canceller.joinable()) canceller.join();
        while (PGresult* const more = PQgetResult(client.get())) PQclear(more);
        if (is_meant && answer.sqlstate == "57014") {
          ++cancelled;
        } else if (!is_meant && answer.value == mark) {
          ++completed;
        } else {
          complaints.add(fmt::format("{} {}: {} {}", is_meant ? "meant" : "not meant", mark,
                                     answer.value, answer.message));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(complaints.text(), "");
  EXPECT_GT(cancelled, 20);
  EXPECT_GT(completed, 20);
  EXPECT_EQ(refusals(), 0u);
  EXPECT_LE(pool().open(), kServerLimit);
}

}  // namespace
}  // namespace forebay::proxy
