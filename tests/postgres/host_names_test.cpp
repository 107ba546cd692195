// Connects by name: libpq gets addresses, and keeps the name for what it is good for.
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "forebay/env/sleep.hpp"
#include "postgres/postgres_fixture.hpp"
#include "support/name_server.hpp"

namespace forebay::postgres {
namespace {

using test::NameServer;
using testing::HasSubstr;

// Sets a variable of the environment for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

class HostNamesTest : public PostgresTest {
 protected:
  static void SetUpTestSuite() {
    PostgresServerOptions options;
    options.authentication = "scram-sha-256";
    launch(std::move(options));
  }
  static RuntimeOptions asking(const NameServer& server) {
    RuntimeOptions options;
    options.name_servers = server.place();
    return options;
  }
  // The server's own URL has an address; this one has whatever is given.
  static std::string conninfo(const std::string& hosts, const std::string& ports = "") {
    return fmt::format("host={} port={} user=app password=hunter2 dbname=postgres", hosts,
                       ports.empty() ? port() : ports);
  }
  static std::string port() { return std::string(target(app_url()).port()); }
  static std::string peer(Client& client, LibpqConnection& connection) {
    return first_value(client.exec(connection, "SELECT host(inet_server_addr())"));
  }

  const NameServer names_{
      NameServer::Table{{"db.test", {"127.0.0.1"}}, {"two.test", {"127.0.0.2", "127.0.0.1"}}}};
  Runtime runtime_{asking(names_)};
};

TEST_F(HostNamesTest, ANameIsLookedUp) {
  Client client(runtime_, conninfo("db.test"));

  auto connection = client.connect();

  EXPECT_EQ(peer(client, *connection), "127.0.0.1");
}

TEST_F(HostNamesTest, LocalhostIsFound) {
  Client client(runtime_, conninfo("localhost"));

  auto connection = client.connect();

  EXPECT_EQ(peer(client, *connection), "127.0.0.1");
}

TEST_F(HostNamesTest, TheNextAddressOfANameIsTried) {
  Client client(runtime_, conninfo("two.test"));  // the server listens on 127.0.0.1 only

  auto connection = client.connect();

  EXPECT_EQ(peer(client, *connection), "127.0.0.1");
}

TEST_F(HostNamesTest, ANameThatIsNotThereIsLeftOut) {
  Client client(runtime_, conninfo("gone.test,db.test", "1," + port()));

  auto connection = client.connect();

  EXPECT_EQ(peer(client, *connection), "127.0.0.1");
}

TEST_F(HostNamesTest, TheErrorTellsOfNamesThatWereLeftOut) {
  Client client(runtime_, conninfo("gone.test,db.test", "1,1"));

  const auto connection = client.try_connect();

  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().code(), Errc::connect_failed);
  EXPECT_THAT(connection.error().text(), HasSubstr("\"db.test\" (127.0.0.1), port 1 failed"));
  EXPECT_THAT(connection.error().text(), HasSubstr("\"gone.test\" could not be looked up"));
}

TEST_F(HostNamesTest, AnUnknownNameIsAnErrorThatNamesIt) {
  Client client(runtime_, conninfo("gone.test"));

  const auto connection = client.try_connect();

  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().code(), Errc::refused) << "waiting does not mend it";
  EXPECT_THAT(connection.error().text(), HasSubstr("\"gone.test\" could not be looked up"));
  EXPECT_THAT(connection.error().text(), HasSubstr("it took"));
}

TEST_F(HostNamesTest, ASilentNameServerEndsAtTheDeadline) {
  const NameServer silent{NameServer::Silent()};
  Runtime runtime(asking(silent));
  Client client(runtime, conninfo("db.test"));
  const Instant begun = runtime.scheduler().now();

  const auto connection = client.try_connect(300ms);

  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().code(), Errc::timed_out);
  EXPECT_LT(runtime.scheduler().now() - begun, 5s);
}

// One name of the list hangs; the address beside it still gets its half of the time.
TEST_F(HostNamesTest, ASilentNameServerLeavesTimeForTheOthers) {
  const NameServer silent{NameServer::Silent()};
  Runtime runtime(asking(silent));
  Client client(runtime, conninfo("db.test,127.0.0.1"));

  const auto connection = client.try_connect(4s);

  ASSERT_TRUE(connection) << connection.error().text();
  client.close(**connection);
}

TEST_F(HostNamesTest, TheEnvironmentMayNameTheHost) {
  const Variable host("PGHOST", "db.test");
  const Variable port_variable("PGPORT", port());
  Client client(runtime_, "user=app password=hunter2 dbname=postgres");

  auto connection = client.connect();

  EXPECT_EQ(peer(client, *connection), "127.0.0.1");
}

TEST_F(HostNamesTest, AnAddressFromTheEnvironmentIsTaken) {
  const Variable address("PGHOSTADDR", "127.0.0.1");
  Client client(runtime_, conninfo("gone.test"));

  auto connection = client.connect();

  EXPECT_EQ(peer(client, *connection), "127.0.0.1");
}

TEST_F(HostNamesTest, AServiceFileMayNameTheHost) {
  const std::string path = testing::TempDir() + "forebay_host_names_service.conf";
  std::ofstream(path) << "[orders]\nhost=db.test\nport=" << port() << "\n";
  const Variable file("PGSERVICEFILE", path);
  Client client(runtime_, "service=orders user=app password=hunter2 dbname=postgres");

  auto connection = client.connect();

  EXPECT_EQ(peer(client, *connection), "127.0.0.1");
  ::remove(path.c_str());
}

TEST_F(HostNamesTest, APasswordFileIsAskedForTheName) {
  const std::string path = testing::TempDir() + "forebay_host_names_pgpass";
  std::ofstream(path) << "db.test:*:*:app:hunter2\n";
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  Client client(runtime_, fmt::format("host=db.test port={} user=app dbname=postgres passfile={}",
                                      port(), path));

  auto connection = client.connect();

  EXPECT_EQ(peer(client, *connection), "127.0.0.1");
  ::remove(path.c_str());
}

Task<void> close_soon(Runtime& runtime, LibpqConnector& connector) {
  co_await sleep_for(runtime.scheduler(), 50ms);
  connector.close();
}

Task<Errc> close_during_lookup(Runtime& runtime, LibpqConnector& connector) {
  TaskGroup tasks(runtime.scheduler());
  tasks.spawn(close_soon(runtime, connector));
  const auto connection = co_await connector.connect(std::string(), kNever);
  co_await tasks.join();
  co_return connection ? Errc::invalid : connection.error().code();
}

TEST_F(HostNamesTest, AClosedConnectorEndsItsLookups) {
  const NameServer silent{NameServer::Silent()};
  Runtime runtime(asking(silent));
  Client client(runtime, conninfo("db.test"));

  EXPECT_EQ(run_blocking(runtime.scheduler(), close_during_lookup(runtime, client.connector())),
            Errc::closed);
}

}  // namespace
}  // namespace forebay::postgres
