// What we write as a server, libpq accepts: a server of a few lines, made of wire/ alone.
#include <array>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include "forebay/wire/auth/server_authentication.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "support/wire_socket.hpp"

namespace forebay::wire {
namespace {

using test::WireMessage;
using test::WireSocket;
using ::testing::HasSubstr;

struct ScriptOptions {
  AuthenticationMethod method = AuthenticationMethod::trust;
  StoredSecret secret = StoredSecret::parse("");
  const test::CertificateFiles* certificate = nullptr;  // null: no TLS
};

// Serves one session after the other, on its own thread. Of SQL it knows four words.
class ScriptedServer {
 public:
  explicit ScriptedServer(ScriptOptions options) : options_(std::move(options)) {
    thread_ = std::thread([this] {
      for (int socket = listener_.accept(); socket >= 0; socket = listener_.accept()) {
        WireSocket stream(socket, Sender::client);
        serve(stream);
      }
    });
  }
  // REQUIRES: its clients are gone.
  ~ScriptedServer() {
    listener_.shut_down();
    thread_.join();
  }

  std::string url(const std::string& more = "") const {
    return fmt::format("host=127.0.0.1 port={} user=app dbname=shop {}", listener_.port(), more);
  }
  std::string noted() const {
    const std::lock_guard lock(mutex_);
    return noted_;
  }

 private:
  void note(std::string_view text) {
    const std::lock_guard lock(mutex_);
    noted_ += text;
    noted_ += ';';
  }

  void serve(WireSocket& stream) {
    for (;;) {
      const WireMessage message = stream.next();
      if (message == WireMessage{}) return;
      const Result<StartupPacket> packet = parse_startup(message.body);
      if (!packet) return;
      if (std::holds_alternative<SslRequest>(*packet)) {
        EXPECT_TRUE(stream.unread().empty());
        stream.send(options_.certificate ? "S" : "N");
        if (options_.certificate) stream.accept_tls(*options_.certificate);
      } else if (std::holds_alternative<GssRequest>(*packet)) {
        stream.send("N");
      } else if (const auto* cancel = std::get_if<CancelKeyView>(&*packet)) {
        note(fmt::format("cancel {} {}", cancel->process, cancel->key));
        return;
      } else {
        stream.expect_messages();
        if (let_in(stream, std::get<StartupView>(*packet))) answer(stream);
        return;
      }
    }
  }

  bool let_in(WireSocket& stream, const StartupView& startup) {
    ServerAuthenticationOptions options(options_.method, std::string(startup.user()),
                                        options_.secret);
    options.nonce = "3rfcNHYJY1ZVvWVs7j";
    options.mock_key = "a key";
    options.md5_salt = {'s', '\0', 'l', 't'};
    if (options_.certificate) options.channel_binding = stream.channel_binding();
    ServerAuthentication authentication(options);
    std::string out;
    const Negotiation negotiation(startup);
    if (negotiation.must_be_told) write_negotiation(out, negotiation);
    ServerAuthentication::Step step = authentication.begin(out);
    while (step == ServerAuthentication::Step::waiting) {
      stream.send(out);
      out.clear();
      const WireMessage message = stream.next();
      if (message.type != 'p') return false;
      step = authentication.receive(message.body, out);
    }
    if (step == ServerAuthentication::Step::accepted) {
      write_parameter_status(out, "server_version", "15.0");
      write_parameter_status(out, "client_encoding", "UTF8");
      write_backend_key_data(out, {4711, "four"});
      write_ready_for_query(out, TransactionStatus::idle);
      note(fmt::format("{} in {}", startup.user(), startup.database()));
    }
    stream.send(out);
    return step == ServerAuthentication::Step::accepted;
  }

  void answer(WireSocket& stream) {
    for (WireMessage message = stream.next();; message = stream.next()) {
      std::string out;
      switch (static_cast<ClientMessage>(message.type)) {
        case ClientMessage::query: run(parse_query(message.body)->sql, stream, out); break;
        case ClientMessage::parse:
          note(fmt::format("parse {}", parse_parse(message.body)->statement));
          write_empty(out, ServerMessage::parse_complete);
          break;
        case ClientMessage::bind: bind(message.body, out); break;
        case ClientMessage::describe:
          if (parse_describe(message.body)->target == Target::statement)
            write_parameter_description(out, std::array<std::uint32_t, 1>{25});
          write_row_description(out, std::array{Column{.name = "parameter", .type = 25}});
          break;
        case ClientMessage::execute:
          write_data_row(out, std::array{last_parameter_ ? Value(*last_parameter_) : Value()});
          write_command_complete(out, "SELECT 1");
          break;
        case ClientMessage::function_call:
          write_error(out, function_call_refusal());
          write_ready_for_query(out, TransactionStatus::idle);
          break;
        case ClientMessage::sync: write_ready_for_query(out, TransactionStatus::idle); break;
        case ClientMessage::terminate: note("terminate"); return;
        default: return;
      }
      stream.send(out);
    }
  }

  void bind(std::string_view body, std::string& out) {
    const Result<BindView> bind = parse_bind(body);
    ASSERT_TRUE(bind);
    const Value value = *bind->parameters.begin();
    last_parameter_ = value ? std::optional(std::string(*value)) : std::nullopt;
    write_empty(out, ServerMessage::bind_complete);
  }

  void run(std::string_view sql, WireSocket& stream, std::string& out) {
    if (sql == "rows") {
      const std::array columns{Column{.name = "number", .type = 23, .type_size = 4},
                               Column{.name = "word", .type = 25, .type_size = -1}};
      write_row_description(out, columns);
      write_data_row(out, std::array<Value, 2>{"1", "one"});
      write_data_row(out, std::array<Value, 2>{"2", std::nullopt});
      write_notification(out, {7, "channel", "payload"});
      write_command_complete(out, "SELECT 2");
    } else if (sql == "error") {
      write_notice(out, {Severity::warning, "01000", "soon"});
      ErrorReport report(Severity::error, "53300", "no connection is left", "Wait a moment.");
      report.detail = "90 of 90 are in use.";
      write_error(out, report);
    } else if (sql == "copy in") {
      write_copy_response(out, ServerMessage::copy_in_response, 0, std::array<std::int16_t, 1>{0});
      stream.send(std::exchange(out, {}));
      std::string copied;
      WireMessage message = stream.next();
      for (; message.type == 'd'; message = stream.next()) copied += message.body;
      note(copied);
      EXPECT_EQ(message.type, 'c');
      write_command_complete(out, "COPY 2");
    } else {
      write_copy_response(out, ServerMessage::copy_out_response, 0, std::array<std::int16_t, 1>{0});
      write_copy_data(out, "first\n");
      write_copy_data(out, "second\n");
      write_copy_done(out);
      write_command_complete(out, "COPY 2");
    }
    write_ready_for_query(out, TransactionStatus::idle);
  }

  const ScriptOptions options_;
  test::LoopbackListener listener_;
  mutable std::mutex mutex_;
  std::string noted_;
  std::optional<std::string> last_parameter_;  // of the server's thread
  std::thread thread_;
};

struct Closer {
  void operator()(PGconn* connection) const { PQfinish(connection); }
  void operator()(PGresult* result) const { PQclear(result); }
};
using LibpqClient = std::unique_ptr<PGconn, Closer>;
using LibpqResult = std::unique_ptr<PGresult, Closer>;

LibpqClient connect(const std::string& url) { return LibpqClient(PQconnectdb(url.c_str())); }
LibpqResult exec(const LibpqClient& client, const char* sql) {
  return LibpqResult(PQexec(client.get(), sql));
}
// "in", or what libpq says.
std::string outcome(const std::string& url) {
  const LibpqClient client = connect(url);
  return PQstatus(client.get()) == CONNECTION_OK ? "in" : PQerrorMessage(client.get());
}

TEST(LibpqLoginTest, ByEveryMethod) {
  const std::string verifier = ScramVerifier::of("hunter2", "some salt here", 4096).text();
  for (const auto& [method, stored] :
       {std::pair(AuthenticationMethod::cleartext, std::string("hunter2")),
        std::pair(AuthenticationMethod::cleartext, verifier),
        std::pair(AuthenticationMethod::md5, std::string("hunter2")),
        std::pair(AuthenticationMethod::md5, *md5_secret("hunter2", "app")),
        std::pair(AuthenticationMethod::scram, verifier)}) {
    const ScriptedServer server({.method = method, .secret = StoredSecret::parse(stored)});
    EXPECT_EQ(outcome(server.url("password=hunter2")), "in") << stored;
    EXPECT_THAT(outcome(server.url("password=wrong")),
                HasSubstr("FATAL:  password authentication failed for user \"app\""));
    EXPECT_THAT(server.noted(), HasSubstr("app in shop"));
  }
}

TEST(LibpqLoginTest, AUserWhoDoesNotExistHearsTheSame) {
  const auto kind = StoredSecret::Kind::scram;
  const ScriptedServer server(
      {.method = AuthenticationMethod::scram, .secret = StoredSecret::mock(kind, "app", "a key")});
  EXPECT_THAT(outcome(server.url("password=hunter2")),
              HasSubstr("FATAL:  password authentication failed for user \"app\""));
}

TEST(LibpqLoginTest, BoundToTheCertificate) {
  test::CertificateAuthority authority("test");
  const test::CertificateFiles files = authority.issue({});
  const std::string verifier = ScramVerifier::of("hunter2", "some salt here", 4096).text();
  const ScriptedServer server({.method = AuthenticationMethod::scram,
                               .secret = StoredSecret::parse(verifier),
                               .certificate = &files});
  const std::string password = "sslmode=require password=hunter2 ";
  EXPECT_EQ(outcome(server.url(password + "channel_binding=require")), "in");
  EXPECT_EQ(outcome(server.url(password + "channel_binding=disable")), "in");
}

TEST(LibpqSessionTest, RowsNotificationsAndErrors) {
  const ScriptedServer server({});
  const LibpqClient client = connect(server.url());
  ASSERT_EQ(PQstatus(client.get()), CONNECTION_OK) << PQerrorMessage(client.get());
  EXPECT_EQ(PQserverVersion(client.get()), 150000);
  const LibpqResult rows = exec(client, "rows");
  ASSERT_EQ(PQresultStatus(rows.get()), PGRES_TUPLES_OK) << PQerrorMessage(client.get());
  EXPECT_EQ(PQntuples(rows.get()), 2);
  EXPECT_STREQ(PQfname(rows.get(), 1), "word");
  EXPECT_STREQ(PQgetvalue(rows.get(), 0, 1), "one");
  EXPECT_EQ(PQgetisnull(rows.get(), 1, 1), 1);
  PGnotify* const notification = PQnotifies(client.get());
  ASSERT_NE(notification, nullptr);
  EXPECT_STREQ(notification->relname, "channel");
  EXPECT_STREQ(notification->extra, "payload");
  PQfreemem(notification);

  const LibpqResult error = exec(client, "error");
  EXPECT_STREQ(PQresultErrorField(error.get(), PG_DIAG_SQLSTATE), "53300");
  EXPECT_STREQ(PQresultErrorField(error.get(), PG_DIAG_SEVERITY_NONLOCALIZED), "ERROR");
  EXPECT_STREQ(PQresultErrorField(error.get(), PG_DIAG_MESSAGE_HINT), "Wait a moment.");
  EXPECT_STREQ(PQresultErrorField(error.get(), PG_DIAG_MESSAGE_DETAIL), "90 of 90 are in use.");
}

TEST(LibpqSessionTest, ExtendedQueries) {
  const ScriptedServer server({});
  const LibpqClient client = connect(server.url());
  const LibpqResult prepared(PQprepare(client.get(), "mine", "SELECT $1", 0, nullptr));
  EXPECT_EQ(PQresultStatus(prepared.get()), PGRES_COMMAND_OK) << PQerrorMessage(client.get());
  const LibpqResult described(PQdescribePrepared(client.get(), "mine"));
  EXPECT_EQ(PQnparams(described.get()), 1);
  EXPECT_EQ(PQparamtype(described.get(), 0), 25u);
  for (const char* const value : {"value", static_cast<const char*>(nullptr)}) {
    const LibpqResult row(PQexecPrepared(client.get(), "mine", 1, &value, nullptr, nullptr, 0));
    ASSERT_EQ(PQntuples(row.get()), 1) << PQerrorMessage(client.get());
    EXPECT_EQ(PQgetisnull(row.get(), 0, 0), value == nullptr);
    EXPECT_STREQ(PQgetvalue(row.get(), 0, 0), value ? value : "");
  }
  EXPECT_THAT(server.noted(), HasSubstr("parse mine"));
}

TEST(LibpqSessionTest, CopyBothWays) {
  const ScriptedServer server({});
  const LibpqClient client = connect(server.url());
  const LibpqResult in = exec(client, "copy in");
  ASSERT_EQ(PQresultStatus(in.get()), PGRES_COPY_IN) << PQerrorMessage(client.get());
  PQputCopyData(client.get(), "a\n", 2);
  PQputCopyData(client.get(), "b\n", 2);
  PQputCopyEnd(client.get(), nullptr);
  const LibpqResult done(PQgetResult(client.get()));
  EXPECT_STREQ(PQcmdTuples(done.get()), "2");
  EXPECT_EQ(PQgetResult(client.get()), nullptr);
  EXPECT_THAT(server.noted(), HasSubstr("a\nb\n"));

  const LibpqResult out = exec(client, "copy out");
  ASSERT_EQ(PQresultStatus(out.get()), PGRES_COPY_OUT);
  std::string copied;
  char* row = nullptr;
  for (int size = PQgetCopyData(client.get(), &row, 0); size > 0;
       size = PQgetCopyData(client.get(), &row, 0)) {
    copied.append(row, static_cast<std::size_t>(size));
    PQfreemem(row);
  }
  EXPECT_EQ(copied, "first\nsecond\n");
  LibpqResult rest(PQgetResult(client.get()));
  EXPECT_STREQ(PQcmdTuples(rest.get()), "2");
}

TEST(LibpqSessionTest, FunctionCallsAreRefusedClearly) {
  const ScriptedServer server({});
  const LibpqClient client = connect(server.url());
  int result = 0;
  int size = 0;
  const PQArgBlock argument{.len = 4, .isint = 1, .u = {.integer = 17}};
  const LibpqResult called(PQfn(client.get(), 1397, &result, &size, 1, &argument, 1));
  EXPECT_STREQ(PQresultErrorField(called.get(), PG_DIAG_SQLSTATE), "0A000");
  EXPECT_EQ(PQtransactionStatus(client.get()), PQTRANS_IDLE);
}

TEST(LibpqSessionTest, ACancelComesWithTheKeyThatWeGave) {
  auto server = std::make_unique<ScriptedServer>(ScriptOptions{});
  LibpqClient client = connect(server->url());
  PGcancel* const cancel = PQgetCancel(client.get());
  client.reset();  // it serves one after the other
  char problem[256];
  EXPECT_EQ(PQcancel(cancel, problem, sizeof problem), 1) << problem;
  PQfreeCancel(cancel);
  EXPECT_THAT(server->noted(), HasSubstr("terminate;cancel 4711 four;"));
}

}  // namespace
}  // namespace forebay::wire
