// Very many clients over few servers, while everything around them goes wrong: the proxy stays up,
// answers are right or clear errors, and in the end nothing is left of it.
#include <atomic>
#include <mutex>
#include <random>
#include <set>

#include <fmt/format.h>
#include <malloc.h>

#include "proxy_real/raw_clients.hpp"

namespace forebay::proxy {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using test::WireMessage;
using test::WireSocket;

constexpr int kServers = 20;
constexpr int kWorkers = 8;

int client_count() { return test::kIsSanitized ? 320 : 2'000; }
Duration run_time() { return std::getenv("FOREBAY_FULL_LOAD") != nullptr ? Duration(30s) : 3s; }

class ProxyLoadTest : public RawClientTest {
 protected:
  // Sessions of the application on the server itself.
  static int sessions() {
    Client superuser(server_->superuser_url());
    const Answer answer =
        superuser.query("SELECT count(*) FROM pg_stat_activity WHERE usename = 'app'");
    return answer.is_ok() ? std::stoi(answer.value) : -1;
  }

  void be_served(int worker, std::vector<std::unique_ptr<WireSocket>>& clients);
  // Says something, and hears an answer that is right or a clear error. False: the connection is
  // gone.
  bool step(WireSocket& client, std::minstd_rand& random);
  void vanish(std::minstd_rand& random);
  void break_servers();
  void complain(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (complaints_.size() < 10) complaints_.insert(text);
  }

  steady_clock::time_point end_;
  std::atomic<int> answers_ = 0, errors_ = 0, losses_ = 0;
  std::mutex mutex_;
  std::set<std::string> complaints_;
};

// What a driver can tell its application: the server or the proxy said that it is going, or there
// was no server in time.
bool is_clear(const std::string& sqlstate) {
  static const std::set<std::string, std::less<>> kClear{"57P01", "57P02", "57P03", "53300",
                                                         "08006", "08001", "57014"};
  return kClear.contains(sqlstate);
}

bool ProxyLoadTest::step(WireSocket& client, std::minstd_rand& random) {
  const std::string mark = fmt::format("m{}", random());
  std::string said;
  switch (random() % 4) {
    case 0:
      wire::write_parse(said, "", fmt::format("SELECT '{}'", mark));
      wire::write_bind(said, {.portal = "", .statement = ""});
      wire::write_execute(said, "");
      wire::write_sync(said);
      break;
    case 1: said = query_text(fmt::format("BEGIN; SELECT '{}'; COMMIT", mark)); break;
    case 2:
      said = query_text(
          fmt::format("COPY (SELECT '{}' FROM generate_series(1, 100)) TO STDOUT", mark));
      break;
    default: said = query_text(fmt::format("SELECT '{}'", mark)); break;
  }
  client.send(said);
  bool is_answered = false, has_failed = false;
  for (;;) {
    const WireMessage heard = client.next();
    if (heard.type == 0) return false;
    if (heard.type == 'D' || heard.type == 'd') {
      is_answered = heard.body.find(mark) != std::string::npos;
      if (!is_answered) complain("somebody else's answer");
    }
    if (heard.type == 'E') {
      has_failed = true;
      const Result<wire::ErrorFields> fields = wire::parse_error_fields(heard.body);
      if (!fields || !is_clear(std::string(fields->sqlstate())))
        complain(fields ? fmt::format("{}: {}", fields->sqlstate(), fields->message())
                        : "unreadable error");
    }
    if (heard.type == 'Z') break;
  }
  ++(has_failed ? errors_ : answers_);
  if (!has_failed && !is_answered) complain("no answer");
  return true;
}

void ProxyLoadTest::be_served(int worker, std::vector<std::unique_ptr<WireSocket>>& clients) {
  std::minstd_rand random(static_cast<unsigned>(worker + 1));
  while (steady_clock::now() < end_) {
    auto& client = clients[random() % clients.size()];
    if (client != nullptr && step(*client, random)) continue;
    ++losses_;
    client = raw_client();
    // While there is no server, nobody new is let in.
    if (client == nullptr) std::this_thread::sleep_for(10ms);
  }
}

// In the middle of a message, of a COPY, of an answer that nobody reads.
void ProxyLoadTest::vanish(std::minstd_rand& random) {
  std::string copy = query_text("COPY lines FROM STDIN");
  wire::write_copy_data(copy, "1\n2\n3\n");
  wire::write_copy_data(copy, std::string(50'000, 'x'));
  std::string pipeline;
  wire::write_parse(pipeline, "", "SELECT repeat('x', 1000000) FROM generate_series(1, 100)");
  wire::write_bind(pipeline, {.portal = "", .statement = ""});
  wire::write_execute(pipeline, "");
  wire::write_sync(pipeline);
  std::vector<std::unique_ptr<WireSocket>> slow;
  while (steady_clock::now() < end_) {
    auto client = raw_client();
    if (client == nullptr) {
      std::this_thread::sleep_for(10ms);
      continue;
    }
    const std::string& said = random() % 2 == 0 ? copy : pipeline;
    client->send(std::string_view(said).substr(0, random() % (said.size() + 1)));
    if (random() % 4 != 0) continue;
    client->send(query_text("SELECT repeat('x', 1000000) FROM generate_series(1, 100)"));
    slow.push_back(std::move(client));
    if (slow.size() == 8) slow.erase(slow.begin());
    std::this_thread::sleep_for(10ms);
  }
}

void ProxyLoadTest::break_servers() {
  const auto restart_at = steady_clock::now() + run_time() / 2;
  bool is_restarted = false;
  while (steady_clock::now() < end_) {
    if (!is_restarted && steady_clock::now() > restart_at) {
      is_restarted = true;
      server_->stop(embedded::PostgresServer::StopMode::immediate);
      if (!server_->start().has_value()) complain("the server does not start again");
    }
    Client superuser(server_->superuser_url());
    superuser.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE usename = 'app' ORDER BY random() LIMIT 2");
    std::this_thread::sleep_for(100ms);
  }
}

TEST_F(ProxyLoadTest, NothingIsLeftOfManyClientsThatSawEverythingGoWrong) {
  open(kServers);
  Client superuser(server_->superuser_url());
  ASSERT_TRUE(superuser.query("CREATE TABLE lines (n text)").is_ok());
  ASSERT_TRUE(superuser.query("GRANT ALL ON lines TO app").is_ok());
  ASSERT_TRUE(raw_client() != nullptr);
  const std::size_t descriptors = open_descriptors();
  reset_peak_memory();
  const std::size_t memory = peak_memory();
  {
    std::vector<std::vector<std::unique_ptr<WireSocket>>> clients(kWorkers);
    for (auto& each : clients)
      for (int i = 0; i < client_count() / kWorkers; ++i) each.push_back(raw_client());
    EXPECT_EQ(counters().clients, client_count());
    end_ = steady_clock::now() + run_time();
    std::vector<std::thread> threads;
    for (int i = 0; i < kWorkers; ++i)
      threads.emplace_back([&, i] { be_served(i, clients[static_cast<std::size_t>(i)]); });
    threads.emplace_back([&] {
      std::minstd_rand random(99);
      vanish(random);
    });
    break_servers();  // here: a server ends with the thread that started it
    for (std::thread& thread : threads) thread.join();
  }
  for (const std::string& complaint : complaints_) ADD_FAILURE() << complaint;
  EXPECT_GT(answers_, 100);
  EXPECT_GT(losses_, 0);
  expect_all_is_back();
  // What is counted, what is open and what the server has are the same.
  EXPECT_TRUE(eventually([&] {
    const PoolStatistics now = pool();
    return now.approved == now.ready && now.approved == sessions();
  })) << describe(pool());
  EXPECT_LE(pool().open(), kServers);
  EXPECT_LE(open_descriptors(), descriptors + kServers);
  // Buffers of 2,000 clients of this test and of the proxy, and of the servers.
  if (!test::kIsSanitized) {
    EXPECT_LT(peak_memory(), memory + 100);
  }
  proxy_->proxy().routes().all().front()->pool().audit();
  ASSERT_TRUE(Client(server_->superuser_url()).query("DROP TABLE lines").is_ok());
}

// The figure is in docs/proxy.md.
TEST_F(ProxyLoadTest, AnIdleClientTakesLittle) {
  if (test::kIsSanitized) GTEST_SKIP() << "sanitizers keep books of their own";
  open(2);
  constexpr int kClients = 1'000;
  const std::string start = start_packet();
  std::vector<int> sockets;
  const auto join = [&] {
    const int socket = test::loopback_socket();
    FOREBAY_CHECK(test::connect_on_loopback(socket, port()));
    test::send_all(socket, start + query_text("SELECT 1"));
    std::array<char, 4096> heard;
    std::string all;
    while (!all.contains("SELECT 1") || !all.ends_with(std::string("Z\0\0\0\5I", 6))) {
      const ssize_t got = ::recv(socket, heard.data(), heard.size(), 0);
      FOREBAY_CHECK(got > 0);
      all.append(heard.data(), static_cast<std::size_t>(got));
    }
    sockets.push_back(socket);
  };
  sockets.reserve(2 * kClients);
  for (int i = 0; i < 100; ++i) join();
  const std::size_t before = ::mallinfo2().uordblks;
  for (int i = 0; i < kClients; ++i) join();
  const std::size_t each = (::mallinfo2().uordblks - before) / kClients;
  RecordProperty("bytes", static_cast<int>(each));
  std::printf("an idle client takes %zu bytes\n", each);
  EXPECT_LE(each, 5'500u);
  for (const int socket : sockets) ::close(socket);
  expect_all_is_back();
}

}  // namespace
}  // namespace forebay::proxy
