// What goes wrong around a proxy: clients that vanish or speak nonsense, servers that go away,
// answers that nobody reads. It touches nobody else, and nothing is left of it.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/startup.hpp"
#include "proxy_real/proxy_fixture.hpp"
#include "support/load_time.hpp"
#include "support/wire_socket.hpp"

namespace forebay::proxy {
namespace {

using namespace std::chrono_literals;
using test::WireMessage;
using test::WireSocket;

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

// What this process has in memory, in MiB; at its peak since the last reset.
std::size_t peak_memory() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6)) / 1024;
  return 0;
}
void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

class ProxyFaultTest : public ProxyTest {
 protected:
  std::uint16_t port() const { return proxy_->port(); }
  std::unique_ptr<WireSocket> raw() const {
    auto socket = WireSocket::connect(port());
    socket->expect_messages();
    return socket;
  }
  // Logged in, and ready.
  std::unique_ptr<WireSocket> raw_client() const {
    auto socket = raw();
    std::string out;
    const std::vector<std::pair<std::string_view, std::string_view>> start{
        {"user", "app"}, {"database", "postgres"}};
    wire::write_startup(out, wire::kVersion30, start);
    socket->send(out);
    for (WireMessage message = socket->next(); message.type != 'Z'; message = socket->next())
      if (message.type == 0) return nullptr;
    return socket;
  }
  // The SQLSTATE of the error with which the proxy ends this client; empty: none came.
  static std::string ending(WireSocket& socket) {
    std::string state;
    for (WireMessage message = socket.next(); message.type != 0; message = socket.next()) {
      if (message.type != 'E') continue;
      const Result<wire::ErrorFields> fields = wire::parse_error_fields(message.body);
      if (fields) state = fields->sqlstate();
    }
    return state;
  }
  void expect_all_is_back() {
    EXPECT_TRUE(eventually([&] {
      const PoolStatistics now = pool();
      return now.lent == 0 && now.cleaning == 0 && counters().clients == 0;
    })) << pool().lent
        << " lent";
    Client client(url());
    EXPECT_EQ(client.query("SELECT 'served'").value, "served");
  }
};

TEST_F(ProxyFaultTest, WhoSpeaksNonsenseIsSentAway) {
  open(2);
  struct Case {
    const char* what;
    std::string bytes;
    std::string sqlstate;
  };
  std::string cut_bind;
  wire::write_parse(cut_bind, "", "SELECT 1");
  cut_bind += std::string("B\0\0\0\x0c\0\0\0\x05\0\0\0\0", 13);  // five formats, and there are none
  const std::vector<Case> after_login{
      {"a length below 4", std::string("Q\0\0\0\3abc", 8), "08P01"},
      {"a length above the limit", std::string("S\x7f\xff\xff\xff", 5), "08P01"},
      {"an unknown kind", std::string("z\0\0\0\4", 5), "08P01"},
      {"a query without an end", std::string("Q\0\0\0\7abc", 8), "08P01"},
      {"a password nobody asked for", std::string("p\0\0\0\5\0", 6), "08P01"},
      {"a Bind with lying counts", cut_bind, "08P01"},
  };
  for (const Case& each : after_login) {
    auto socket = raw_client();
    ASSERT_TRUE(socket != nullptr);
    std::string bytes = each.bytes;
    wire::write_sync(bytes);
    wire::write_terminate(
        bytes);  // for a server that goes on, as PostgreSQL does after such a Bind
    socket->send(bytes);
    EXPECT_EQ(ending(*socket), each.sqlstate) << each.what;
  }
  const std::vector<Case> at_start{
      {"a start-up packet that is too short", std::string("\0\0\0\5x", 5), "08P01"},
      {"a start-up packet that is too long", std::string("\0\0\x7f\xff", 4), "08P01"},
      {"protocol 2", std::string("\0\0\0\x08\0\2\0\0", 8), "0A000"},
      {"no user", std::string("\0\0\0\x09\0\3\0\0\0", 9), "28000"},
  };
  for (const Case& each : at_start) {
    auto socket = raw();
    socket->send(each.bytes);
    EXPECT_EQ(ending(*socket), each.sqlstate) << each.what;
  }
  expect_all_is_back();
}

TEST_F(ProxyFaultTest, WhoNeverIntroducesHimselfIsSentAway) {
  open({route_to("postgres", 1)}, 100ms);
  auto silent = raw();
  EXPECT_EQ(ending(*silent), "");
  expect_all_is_back();
}

// Cut after each byte of a session that does a bit of everything.
TEST_F(ProxyFaultTest, ClientsVanishInTheMiddleOfAnything) {
  open(2);
  std::string session;
  wire::write_parse(session, "s", "SELECT $1::int");
  wire::write_bind(session, {.portal = "", .statement = "s"});
  wire::write_execute(session, "");
  wire::write_sync(session);
  wire::write_query(session, "BEGIN; CREATE TABLE IF NOT EXISTS cut (n int)");
  wire::write_query(session, "COPY cut FROM STDIN");
  wire::write_copy_data(session, "1\n2\n3\n");
  wire::write_copy_done(session);
  for (std::size_t count = 0; count < session.size(); count += test::kIsSanitized ? 7 : 1) {
    auto socket = raw_client();
    ASSERT_TRUE(socket != nullptr) << count;
    socket->send(std::string_view(session).substr(0, count));
  }
  expect_all_is_back();
  Client client(url());
  EXPECT_EQ(client.query("SELECT to_regclass('cut')").value, "");
}

TEST_F(ProxyFaultTest, AServerThatRestartsIsFoundAgain) {
  open(3);
  Client idle(url()), busy(url());
  ASSERT_TRUE(idle.query("SELECT 1").is_ok());
  ASSERT_TRUE(busy.query("BEGIN").is_ok());
  server_->stop();
  const Answer lost = busy.query("SELECT 1");
  EXPECT_FALSE(lost.is_ok());
  EXPECT_EQ(PQstatus(busy.get()), CONNECTION_BAD);
  ASSERT_TRUE(server_->start().has_value());
  // Who had no server at that time notices nothing.
  EXPECT_TRUE(eventually([&] { return idle.query("SELECT 2").value == "2"; }));
  EXPECT_EQ(PQstatus(idle.get()), CONNECTION_OK);
  idle.hang_up();
  busy.hang_up();
  expect_all_is_back();
}

TEST_F(ProxyFaultTest, NothingIsLeftOfManyClients) {
  open(10);
  {
    Client warm(url());
  }
  const std::size_t before = open_descriptors();
  const int count = test::kIsSanitized ? 300 : 2'000;
  {
    std::vector<std::unique_ptr<WireSocket>> clients;
    for (int i = 0; i < count; ++i) {
      clients.push_back(raw_client());
      ASSERT_TRUE(clients.back() != nullptr) << i;
    }
    std::string out;
    wire::write_query(out, "SELECT pg_backend_pid()");
    for (const auto& client : clients) client->send(out);
    for (const auto& client : clients) {
      std::string types;
      for (WireMessage message = client->next(); message.type != 'Z' && message.type != 0;
           message = client->next())
        types += message.type;
      ASSERT_EQ(types, "TDC");
    }
    EXPECT_EQ(counters().clients, count);
  }
  EXPECT_TRUE(eventually([&] { return counters().clients == 0; }));
  EXPECT_LE(open_descriptors(), before + 10);  // those of the pool
  EXPECT_LE(pool().open(), 10);
}

// The proxy reads no faster than its client does, whatever the server has to say.
TEST_F(ProxyFaultTest, LargeThingsPassWithoutBeingKept) {
  open(2);
  const int mebibytes = std::getenv("FOREBAY_FULL_LOAD") != nullptr ? 1024 : 64;
  auto reader = raw_client();
  ASSERT_TRUE(reader != nullptr);
  reset_peak_memory();
  const std::size_t before = peak_memory();
  std::string out;
  wire::write_query(out, fmt::format("COPY (SELECT repeat('x', 1048575) FROM generate_series(1, {})"
                                     ") TO STDOUT",
                                     mebibytes));
  reader->send(out);
  std::size_t received = 0;
  for (WireMessage message = reader->next(); message.type != 'Z' && message.type != 0;
       message = reader->next())
    if (message.type == 'd') received += message.body.size();
  EXPECT_EQ(received, static_cast<std::size_t>(mebibytes) * 1024 * 1024);
  // One message of a mebibyte is kept by this test, at most three times. Sanitizers keep more.
  if (!test::kIsSanitized) {
    EXPECT_LT(peak_memory(), before + 16);
  }
}

}  // namespace
}  // namespace forebay::proxy
