// Statements that ran into their deadline, or whose caller was cancelled, are cancelled on the
// server, and the session is as good as before.
#include <libpq-fe.h>

#include "forebay/env/task_group.hpp"
#include "forebay/postgres/driver/cancel_key.hpp"
#include "postgres/postgres_fixture.hpp"
#include "support/cancel_later.hpp"
#include "support/forwarder.hpp"

namespace forebay::postgres {
namespace {

using test::cancel_later;
using test::Forwarder;

std::optional<CancelKey> key(std::int32_t process, std::int32_t secret) {
  CancelKey key;
  key.process = process;
  key.secret = secret;
  return key;
}

TEST(CancelKeyTest, IsFoundInTheWordsOfLibpq) {
  EXPECT_EQ(
      find_cancel_key("2026\tB\t13\tBackendKeyData\t 4711 -99\n2026\tB\t6\tReadyForQuery\t I"),
      key(4711, -99));
  EXPECT_EQ(find_cancel_key("BackendKeyData\t 1 2\nBackendKeyData\t 3 4\n"), key(3, 4));
}

TEST(CancelKeyTest, OtherWordsAreNoKey) {
  for (const char* text : {"", "BackendKeyData", "BackendKeyData\t 1", "BackendKeyData\t NNNN NNNN",
                           "BackendKeyData\t 1 'abc'", "BackendKeyData\t 1 2 3\n"}) {
    EXPECT_EQ(find_cancel_key(text), std::nullopt) << text;
  }
}

class CancelTest : public PostgresTest {
 protected:
  static void SetUpTestSuite() {
    PostgresServerOptions options;
    options.max_connections = 8;
    launch(options);
  }

  template <class T>
  T run(Task<T> task) {
    return run_blocking(runtime_.scheduler(), std::move(task));
  }
  Result<void> cancel(LibpqConnection& connection, Duration timeout = kPatience) {
    return run(connection.cancel(client_.in(timeout)));
  }
  std::string ask(LibpqConnection& connection, const std::string& sql) {
    return first_value(connection.exec_blocking(sql, kPatience));
  }
  // Of the session, as another one sees it: "active", "idle" or "no rows".
  std::string state_of(int pid) {
    return ask(*observer_, fmt::format("SELECT state FROM pg_stat_activity WHERE pid = {}", pid));
  }

  Runtime runtime_;
  Client client_{runtime_, app_url()};
  Client superuser_{runtime_, server_->superuser_url()};
  Client::OpenConnection observer_ = superuser_.connect();
  Client::OpenConnection connection_ = client_.connect();
  const int pid_ = PQbackendPID(connection_->native());
};

TEST_F(CancelTest, TheSessionIsUsableAfterwards) {
  ASSERT_FALSE(client_.exec(*connection_, "SELECT pg_sleep(100)", {}, 50ms));
  EXPECT_FALSE(connection_->is_usable());
  ASSERT_TRUE(connection_->needs_cancel());
  EXPECT_EQ(state_of(pid_), "active");

  const Result<void> cancelled = cancel(*connection_);

  ASSERT_TRUE(cancelled) << cancelled.error().text();
  EXPECT_TRUE(connection_->is_usable());
  EXPECT_TRUE(connection_->needs_reset());
  EXPECT_FALSE(connection_->needs_cancel());
  EXPECT_EQ(state_of(pid_), "idle");
  ASSERT_TRUE(client_.reset(*connection_));
  EXPECT_EQ(ask(*connection_, "SELECT pg_backend_pid()"), std::to_string(pid_));
}

// With a caller who goes away after so long, and would otherwise wait for ever.
Task<Result<QueryResult>> exec_until_gone(LibpqConnection& connection, std::string sql,
                                          Duration time) {
  Scheduler& scheduler = connection.scheduler();
  Cancellation gone(scheduler);
  TaskGroup group(scheduler);
  if (time == Duration::zero()) {
    gone.cancel();
  } else {
    group.spawn(cancel_later(scheduler, time, gone));
  }
  Result<QueryResult> result = co_await connection.exec(std::move(sql), Until(kNever, gone));
  co_await group.join();
  co_return result;
}

TEST_F(CancelTest, AStatementOfACancelledCallerEndsAtOnceAndItsSessionIsSaved) {
  const Result<QueryResult> result =
      run(exec_until_gone(*connection_, "SELECT pg_sleep(1000)", 50ms));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::cancelled) << result.error().text();
  EXPECT_FALSE(connection_->is_usable());
  ASSERT_TRUE(connection_->needs_cancel());
  EXPECT_EQ(state_of(pid_), "active");
  const Result<void> cancelled = cancel(*connection_);
  ASSERT_TRUE(cancelled) << cancelled.error().text();
  EXPECT_EQ(state_of(pid_), "idle");
  ASSERT_TRUE(client_.reset(*connection_));
  EXPECT_EQ(ask(*connection_, "SELECT pg_backend_pid()"), std::to_string(pid_));
}

TEST_F(CancelTest, NothingIsSentForACallerWhoWasCancelledBefore) {
  const Result<QueryResult> result =
      run(exec_until_gone(*connection_, "SELECT pg_sleep(1000)", Duration::zero()));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::cancelled);
  EXPECT_TRUE(connection_->is_usable());
  EXPECT_EQ(ask(*connection_, "SELECT 1"), "1");
}

// The answer and the cancellation meet: whichever is first, the connection says the truth.
TEST_F(CancelTest, AnAnswerThatIsThereCountsEvenIfItsCallerGoes) {
  int answered = 0;
  Duration time = 1ms;
  // On a machine that is too busy for any of these times, longer ones follow.
  for (int round = 0; round < 40 || (answered == 0 && time < 10s); ++round) {
    const Result<QueryResult> result =
        run(exec_until_gone(*connection_, "SELECT pg_sleep(0.002)", time));
    time = round < 40 ? time + 100us : 2 * time;
    if (result) {
      ++answered;
      ASSERT_TRUE(connection_->is_usable());
      continue;
    }
    ASSERT_EQ(result.error().code(), Errc::cancelled);
    ASSERT_TRUE(connection_->needs_cancel());
    if (cancel(*connection_) && client_.reset(*connection_)) continue;
    connection_ = client_.connect();  // it had ended before its cancel came
  }

  EXPECT_GT(answered, 0);
}

TEST_F(CancelTest, EveryFormOfAStatementCanBeCancelled) {
  const auto expect_saved = [&](const char* form) {
    const Result<void> cancelled = cancel(*connection_);
    ASSERT_TRUE(cancelled) << form << ": " << cancelled.error().text();
    ASSERT_TRUE(client_.reset(*connection_)) << form;
    EXPECT_EQ(ask(*connection_, "SELECT 1"), "1") << form;
  };
  ASSERT_FALSE(connection_->exec_blocking("SELECT pg_sleep(100)", 50ms));
  expect_saved("blocking");
  const PreparedStatement nap("nap", "SELECT pg_sleep($1::float8)");
  ASSERT_FALSE(connection_->exec_blocking(nap, Parameters{"100"}, 50ms));
  expect_saved("prepared");
  ASSERT_TRUE(connection_->exec_blocking("BEGIN", kPatience));
  ASSERT_FALSE(connection_->exec_blocking("SELECT pg_sleep(100)", 50ms));
  expect_saved("in a transaction");
  for (int round = 0; round < 20; ++round) {
    ASSERT_FALSE(connection_->exec_blocking("SELECT pg_sleep(100)", 1ms));
    // A cancel that comes before its statement is forgotten by the server.
    while (state_of(pid_) != "active") {
    }
    expect_saved("again and again");
  }
}

// The rows of a COPY are on their way in one direction or the other: that session is closed.
TEST_F(CancelTest, ACopyIsCancelledAndItsSessionNotKept) {
  const auto forever = [](std::string& chunk) -> Result<bool> {
    chunk += "1\n";
    return true;
  };
  ASSERT_TRUE(connection_->exec_blocking("CREATE TEMP TABLE t (i int)", kPatience));
  ASSERT_FALSE(connection_->copy_in_blocking("COPY t FROM STDIN", forever, 100ms));
  ASSERT_TRUE(connection_->needs_cancel());
  EXPECT_FALSE(cancel(*connection_));
  EXPECT_FALSE(connection_->is_usable());

  auto other = client_.connect();
  const int pid = PQbackendPID(other->native());
  ASSERT_FALSE(other->copy_out_blocking(
      "COPY (SELECT pg_sleep(100)) TO STDOUT", [](std::string_view) { return Result<void>(); },
      50ms));
  ASSERT_TRUE(other->needs_cancel());
  EXPECT_FALSE(cancel(*other));
  EXPECT_EQ(state_of(pid), "idle");
}

TEST_F(CancelTest, AResetIsCancelledToo) {
  const auto holder = client_.connect();
  ASSERT_TRUE(holder->exec_blocking("SELECT pg_advisory_lock(7)", kPatience));
  PGconn* native = connection_->native();
  ASSERT_EQ(PQsendQuery(native, "SELECT pg_advisory_lock(7)"), 1);
  while (PQflush(native) == 1) {
  }
  ASSERT_FALSE(client_.reset(*connection_, 100ms));
  ASSERT_TRUE(connection_->needs_cancel());
  ASSERT_TRUE(cancel(*connection_));
  EXPECT_EQ(state_of(pid_), "idle");
}

TEST_F(CancelTest, NeedsNoRoomOnTheServer) {
  std::vector<Client::OpenConnection> others;
  Result<std::unique_ptr<LibpqConnection>> other = client_.try_connect();
  for (; other; other = client_.try_connect())
    others.emplace_back(other->release(), Client::Closer{&client_});
  ASSERT_EQ(error_of(other).code(), Errc::limit_reached);
  ASSERT_FALSE(client_.exec(*connection_, "SELECT pg_sleep(100)", {}, 50ms));

  EXPECT_TRUE(cancel(*connection_));
}

TEST_F(CancelTest, AStatementThatHadEndedIsNotMistakenForACancelledOne) {
  ASSERT_FALSE(client_.exec(*connection_, "SELECT pg_sleep(0.2)", {}, 50ms));
  while (state_of(pid_) != "idle") {
  }

  EXPECT_FALSE(cancel(*connection_));
  EXPECT_FALSE(connection_->is_usable());
}

TEST_F(CancelTest, ACancelThatIsLostEndsAtItsDeadline) {
  Forwarder forwarder(server_->port(), [](std::string_view packet) {
    Forwarder::Verdict verdict;
    verdict.is_forwarded = !test::is_cancel_request(packet);
    return verdict;
  });
  Client client(runtime_, forwarder.conninfo("app") + " password=hunter2");
  const auto connection = client.connect();
  const int pid = PQbackendPID(connection->native());
  ASSERT_FALSE(client.exec(*connection, "SELECT pg_sleep(100)", {}, 50ms));
  const Instant start = runtime_.scheduler().now();

  const Result<void> cancelled = cancel(*connection, 200ms);

  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code(), Errc::timed_out);
  EXPECT_GE(runtime_.scheduler().now() - start, 200ms);
  EXPECT_EQ(forwarder.cancels(), 1);
  EXPECT_FALSE(connection->is_usable());
  EXPECT_FALSE(connection->needs_cancel());
  ask(*observer_, fmt::format("SELECT pg_terminate_backend({})", pid));
}

TEST_F(CancelTest, WhereTheServerKnowsNoCancelNoneIsSent) {
  ServerProfile profile = ServerProfile::postgresql();
  profile.can_cancel = ServerProfile::dsql().can_cancel;
  Client client(runtime_, app_url(), nullptr, profile);
  const auto connection = client.connect();
  const int pid = PQbackendPID(connection->native());

  ASSERT_FALSE(client.exec(*connection, "SELECT pg_sleep(100)", {}, 50ms));

  EXPECT_FALSE(connection->needs_cancel());
  ask(*observer_, fmt::format("SELECT pg_terminate_backend({})", pid));
}

}  // namespace
}  // namespace forebay::postgres
