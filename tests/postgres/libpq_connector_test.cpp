#include "forebay/postgres/driver/libpq_connector.hpp"

#include <atomic>
#include <future>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "postgres/postgres_fixture.hpp"
#include "support/loopback.hpp"

namespace forebay::postgres {
namespace {

// 20 connections for everybody but the superuser.
constexpr int kConnections = 20;

class LibpqConnectorTest : public PostgresTest {
 protected:
  static void SetUpTestSuite() {
    PostgresServerOptions options;
    options.superuser_reserved_connections = 3;
    options.max_connections = kConnections + options.superuser_reserved_connections;
    options.authentication = "scram-sha-256";
    launch(std::move(options));
  }

  static Error error_of(Client& client, Duration timeout = kPatience) {
    const auto connection = client.try_connect(timeout);
    EXPECT_FALSE(connection);
    return connection ? Error(Errc::invalid, "connected") : connection.error();
  }

  Runtime runtime_;
};

// Accepts connections (the kernel does, as long as there is room in the queue) and never answers.
class SilentListener {
 public:
  std::string url() const {
    return fmt::format("postgresql://app:hunter2@127.0.0.1:{}/x", listener_.port());
  }
  // One session that reads until its peer has said goodbye, takes its time, and then ends, as a
  // PostgreSQL backend does.
  void serve_one_politely() {
    const int session = listener_.accept();
    char scrap[1024];
    while (::recv(session, scrap, sizeof scrap, 0) > 0) {
    }
    ::poll(nullptr, 0, 100);
    has_ended_ = true;
    ::close(session);
  }
  bool has_ended() const { return has_ended_; }

 private:
  test::LoopbackListener listener_;
  std::atomic<bool> has_ended_ = false;
};

// A lane whose work waits for the test's word.
class HeldLane final : public BlockingLane {
 public:
  explicit HeldLane(BlockingLane& lane) : lane_(lane) {}
  void submit(std::move_only_function<void()> work) override {
    lane_.submit([this, held = std::move(work)]() mutable {
      arrived_.set_value();
      word_.get_future().wait();
      held();
    });
  }
  void wait_for_work() { arrived_.get_future().wait(); }
  void let_go() { word_.set_value(); }

 private:
  BlockingLane& lane_;
  std::promise<void> arrived_;
  std::promise<void> word_;
};

Task<void> close_connector(LibpqConnector& connector) {
  connector.close();
  co_return;
}

Task<void> nothing() { co_return; }

TEST_F(LibpqConnectorTest, ConnectsWithAPassword) {
  Client client(runtime_, app_url());

  auto connection = client.connect();

  EXPECT_TRUE(connection->is_usable());
  EXPECT_FALSE(connection->needs_reset());
  EXPECT_EQ(first_value(client.exec(*connection, "SELECT current_user")), "app");
  EXPECT_EQ(first_value(connection->exec_blocking("SHOW application_name", kPatience)), "forebay");
}

TEST_F(LibpqConnectorTest, AWrongPasswordIsRefusedAndNotRepeated) {
  Client client(runtime_, server_->url("app", "postgres", "wrong-secret"));

  const Error error = error_of(client);

  EXPECT_EQ(error.code(), Errc::refused);
  EXPECT_EQ(error.sqlstate(), "28P01");
  EXPECT_NE(error.text().find("password authentication failed for user \"app\""),
            std::string::npos);
  EXPECT_EQ(error.text().find("wrong-secret"), std::string::npos);
  EXPECT_EQ(error.text().find("28P01"), std::string::npos) << error.text();
  EXPECT_EQ(error.text().find("LOCATION"), std::string::npos) << error.text();
}

TEST_F(LibpqConnectorTest, AMissingPasswordIsRefused) {
  Client client(runtime_, server_->url("app", "postgres"));

  EXPECT_EQ(error_of(client).code(), Errc::refused);
}

TEST_F(LibpqConnectorTest, AnUnknownDatabaseIsRefused) {
  Client client(runtime_, server_->url("app", "no_such_database", "hunter2"));

  const Error error = error_of(client);

  EXPECT_EQ(error.code(), Errc::refused);
  EXPECT_EQ(error.sqlstate(), "3D000");
}

TEST_F(LibpqConnectorTest, AClosedPortIsAFailureToTryAgain) {
  Client client(runtime_, "host=127.0.0.1 port=1 user=app password=hunter2");

  const Error error = error_of(client);

  EXPECT_EQ(error.code(), Errc::connect_failed);
  EXPECT_EQ(error.sqlstate(), "");
  EXPECT_EQ(error.text().find("hunter2"), std::string::npos);
  EXPECT_EQ(error.text().find('\n'), std::string::npos);
}

TEST_F(LibpqConnectorTest, TriesTheNextHost) {
  Client client(runtime_,
                fmt::format("host=127.0.0.1,127.0.0.1 port=1,{} user=app password=hunter2 "
                            "dbname=postgres",
                            server_->port()));

  EXPECT_TRUE(client.connect()->is_usable());
}

TEST_F(LibpqConnectorTest, AServerThatNeverAnswersTimesOut) {
  SilentListener listener;
  std::thread server([&listener] { listener.serve_one_politely(); });
  Client client(runtime_, listener.url());
  const Instant start = runtime_.scheduler().now();

  const Error error = error_of(client, 200ms);
  const Duration time = runtime_.scheduler().now() - start;
  EXPECT_TRUE(listener.has_ended());  // or connect() returned while the server still had a session
  server.join();

  EXPECT_EQ(error.code(), Errc::timed_out);
  EXPECT_GE(time, 200ms);
  EXPECT_LT(time, 200ms + LibpqSettings().give_up_after);
}

TEST_F(LibpqConnectorTest, AServerThatDoesNotEvenSayGoodbyeIsLeftAfterAWhile) {
  const SilentListener listener;
  Client client(runtime_, listener.url());
  const Instant start = runtime_.scheduler().now();

  const Error error = error_of(client, 50ms);

  EXPECT_EQ(error.code(), Errc::timed_out);
  EXPECT_GE(runtime_.scheduler().now() - start, 50ms + LibpqSettings().give_up_after);
}

TEST_F(LibpqConnectorTest, CloseEndsAnAttemptThatWaitsForTheServer) {
  SilentListener listener;
  std::thread server([&listener] { listener.serve_one_politely(); });
  Client client(runtime_, listener.url());
  auto attempt = std::async(std::launch::async, [&] { return error_of(client).code(); });
  while (attempt.wait_for(20ms) != std::future_status::ready) {
    run_blocking(runtime_.scheduler(), close_connector(client.connector()));
  }
  server.join();

  EXPECT_EQ(attempt.get(), Errc::closed);
  EXPECT_EQ(error_of(client).code(), Errc::closed);
}

TEST_F(LibpqConnectorTest, TheLoopGoesOnWhileTheLaneWorks) {
  HeldLane lane(runtime_.lane());
  Client client(runtime_, app_url(), &lane);
  auto attempt = std::async(std::launch::async, [&] { return error_of(client).code(); });
  lane.wait_for_work();

  run_blocking(runtime_.scheduler(), nothing());
  EXPECT_EQ(attempt.wait_for(0s), std::future_status::timeout);
  run_blocking(runtime_.scheduler(), close_connector(client.connector()));
  EXPECT_EQ(attempt.wait_for(0s),
            std::future_status::timeout);  // work on the lane cannot be recalled
  lane.let_go();

  EXPECT_EQ(attempt.get(), Errc::closed);
}

TEST_F(LibpqConnectorTest, OneMoreThanTheServerAllowsIsToldSo) {
  Client client(runtime_, app_url());
  std::vector<Client::OpenConnection> connections;
  for (int i = 0; i < kConnections; ++i) connections.push_back(client.connect());

  const Error error = error_of(client);

  EXPECT_EQ(error.code(), Errc::limit_reached);
  EXPECT_EQ(error.sqlstate(), "53300");
}

// The pool counts a connection until close() ends; so does the server, or one of these
// would be refused.
TEST_F(LibpqConnectorTest, AClosedConnectionMakesRoomAtOnce) {
  Client client(runtime_, app_url());
  std::vector<Client::OpenConnection> connections;
  for (int i = 0; i < kConnections; ++i) connections.push_back(client.connect());

  for (int round = 0; round < 100; ++round) {
    connections[static_cast<std::size_t>(round % kConnections)].reset();
    auto connection = client.try_connect();
    ASSERT_TRUE(connection) << "round " << round << ": " << connection.error().text();
    connections[static_cast<std::size_t>(round % kConnections)] =
        Client::OpenConnection(connection->release(), Client::Closer{&client});
  }
}

// A refused attempt has left the server when connect() returns, so the next one finds the
// room it had.
TEST_F(LibpqConnectorTest, AFailedAttemptLeavesNothingBehind) {
  Client client(runtime_, app_url());
  Client refused(runtime_, server_->url("app", "no_such_database", "hunter2"));
  std::vector<Client::OpenConnection> connections;
  for (int i = 0; i < kConnections - 1; ++i) connections.push_back(client.connect());

  for (int round = 0; round < 50; ++round) {
    EXPECT_EQ(error_of(refused).code(), Errc::refused) << "round " << round;
    auto connection = client.try_connect();
    ASSERT_TRUE(connection) << "round " << round << ": " << connection.error().text();
    client.close(**connection);
  }
}

Task<void> connect_and_close(LibpqConnector& connector, Instant deadline, int& connected) {
  Result<std::unique_ptr<Connection>> connection = co_await connector.connect("", deadline);
  if (!connection) co_return;
  ++connected;
  co_await (*connection)->close(deadline);
}

Task<void> connect_all(Scheduler& scheduler, LibpqConnector& connector, Instant deadline,
                       int& connected) {
  TaskGroup group(scheduler);
  for (int i = 0; i < kConnections; ++i)
    group.spawn(connect_and_close(connector, deadline, connected));
  co_await group.join();
}

TEST_F(LibpqConnectorTest, ConnectsManyAtOnce) {
  Client client(runtime_, app_url());
  int connected = 0;

  run_blocking(runtime_.scheduler(), connect_all(runtime_.scheduler(), client.connector(),
                                                 client.in(kPatience), connected));

  EXPECT_EQ(connected, kConnections);
}

TEST_F(LibpqConnectorTest, RequiresTlsWhereTheServerDoes) {
  const LibpqEnv env = libpq_env(runtime_);

  const LibpqConnector loose(env, target("host=a sslmode=prefer"), ServerProfile::dsql());
  const LibpqConnector strict(env, target("host=a sslmode=verify-full"), ServerProfile::dsql());

  EXPECT_EQ(loose.target().get("sslmode"), "require");
  EXPECT_EQ(strict.target().get("sslmode"), "verify-full");
}

}  // namespace
}  // namespace forebay::postgres
