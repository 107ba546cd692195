// What goes wrong around a proxy: clients that vanish, servers that go away. It touches nobody
// else, and nothing is left of it.
#include <fmt/format.h>

#include "proxy_real/raw_clients.hpp"

namespace forebay::proxy {
namespace {

using test::WireMessage;
using test::WireSocket;

class ProxyFaultTest : public RawClientTest {};

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

}  // namespace
}  // namespace forebay::proxy
