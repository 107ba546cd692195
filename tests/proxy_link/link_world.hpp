// A server that speaks PostgreSQL's protocol over simulated streams, and what links to it need.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_network.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/proxy/link/link_connector.hpp"
#include "forebay/wire/auth/server_authentication.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "support/stream_tasks.hpp"

namespace forebay::proxy {

using namespace std::chrono_literals;

inline std::string error_message(const std::string& severity, const std::string& sqlstate,
                                 const std::string& text) {
  std::string out;
  const auto how = severity == "FATAL" ? wire::Severity::fatal : wire::Severity::error;
  wire::write_error(out, wire::ErrorReport(how, sqlstate, text));
  return out;
}

inline std::string ready(wire::TransactionStatus status = wire::TransactionStatus::idle) {
  std::string out;
  wire::write_ready_for_query(out, status);
  return out;
}

// Lets in whom it is told to, and answers a few statements:
//   BEGIN, ROLLBACK, COPY …   as they are meant
//   COPY bad                  the first data fails, and then it reads nothing for a second
//   sleep                     nothing, until it is cancelled
//   nap                       CommandComplete after half a second
//   fail                      an error
//   die                       a fatal error, and hangs up
//   linger                    it will not hang up before it is told to
//   say …                     ParameterStatus application_name
//   anything else             CommandComplete
class FakeWireServer {
 public:
  FakeWireServer(Scheduler& scheduler, sim::SimHost& host, const StreamAddress& at)
      : scheduler_(scheduler), tasks_(scheduler) {
    auto listener = host.listen(at);
    FOREBAY_CHECK(listener.has_value(), listener.error().text());
    listener_ = std::move(*listener);
    tasks_.spawn(accept_all());
  }

  void close() { listener_->close(); }

  wire::AuthenticationMethod method = wire::AuthenticationMethod::trust;
  std::string password = "hunter2";
  std::string raw_answer;           // to the start-up packet, in the place of all others
  std::string answer_to_ssl = "N";  // and then it goes on in the clear
  std::string version = "15.0 (fake)";
  bool has_key = true;
  bool lingers = false;
  std::vector<std::string> startups;  // parameters of each: "user=app options=…"
  std::vector<std::string> statements;
  int sessions = 0;
  int most_sessions = 0;
  int cancels = 0;
  bool is_cancel_slow = false;
  std::set<std::uint32_t> cancelled;
  ByteStream* last_stream = nullptr;

  // What the server says without being asked.
  Task<void> say(std::string bytes) {
    const Result<void> written = co_await test::write_text(*last_stream, std::move(bytes), kNever);
    static_cast<void>(written);
  }

 private:
  struct Session {
    std::uint32_t id = 0;
    wire::TransactionStatus status = wire::TransactionStatus::idle;
    bool is_in_copy = false;
    bool is_bad_copy = false;
    bool is_stunned = false;
    bool is_skipping = false;
    bool is_over = false;
  };

  Task<void> accept_all() {
    for (;;) {
      Result<std::unique_ptr<ByteStream>> stream = co_await listener_->accept(kNever);
      if (!stream) co_return;
      tasks_.spawn(serve(std::move(*stream)));
    }
  }

  Task<void> serve(std::unique_ptr<ByteStream> stream) {
    last_stream = stream.get();
    wire::FrameOptions options;
    options.sender = wire::Sender::client;
    wire::FrameReader reader(options);
    Session session;
    std::optional<wire::ServerAuthentication> authentication;
    while (!session.is_over) {
      const wire::Frame frame = reader.next();
      if (frame.kind == wire::Frame::Kind::broken) break;
      std::string out;
      if (frame.kind == wire::Frame::Kind::none) {
        const Result<std::size_t> got = co_await stream->read(reader.room(), kNever);
        if (!got || *got == 0) break;
        reader.add(*got);
        continue;
      }
      if (reader.expects_startup()) {
        if (is_cancel(frame) && is_cancel_slow) co_await sleep_for(scheduler_, 1s);
        start(reader, frame, session, authentication, out);
      } else if (frame.type == 'p' && authentication) {
        const auto step = authentication->receive(frame.body, out);
        enter(step, session, out);
      } else {
        const bool is_sleep = frame.type == 'Q' && wire::parse_query(frame.body)->sql == "sleep";
        while (is_sleep && !cancelled.contains(session.id)) co_await sleep_for(scheduler_, 10ms);
        if (frame.type == 'Q' && wire::parse_query(frame.body)->sql == "nap")
          co_await sleep_for(scheduler_, 500ms);
        answer(frame, session, out);
      }
      if (out.empty()) continue;
      const Result<void> written = co_await test::write_text(*stream, std::move(out), kNever);
      if (!written) break;
      if (session.is_stunned) co_await sleep_for(scheduler_, 1s);
      session.is_stunned = false;
    }
    while (lingers) co_await sleep_for(scheduler_, 10ms);
    if (session.id != 0) --sessions;
    if (last_stream == stream.get()) last_stream = nullptr;
  }

  static bool is_cancel(const wire::Frame& frame) {
    const auto packet = wire::parse_startup(frame.body);
    return packet && std::holds_alternative<wire::CancelKeyView>(*packet);
  }

  void start(wire::FrameReader& reader, const wire::Frame& frame, Session& session,
             std::optional<wire::ServerAuthentication>& authentication, std::string& out) {
    const auto packet = wire::parse_startup(frame.body);
    FOREBAY_CHECK(packet.has_value(), packet.error().text());
    if (std::holds_alternative<wire::SslRequest>(*packet)) {
      out = answer_to_ssl;
      return;
    }
    if (const auto* key = std::get_if<wire::CancelKeyView>(&*packet)) {
      ++cancels;
      if (key->key == "skey") cancelled.insert(key->process);
      session.is_over = true;
      return;
    }
    const auto& view = std::get<wire::StartupView>(*packet);
    std::string text;
    for (const auto& [name, value] : view.parameters)
      text += std::string(name) + "=" + std::string(value) + " ";
    startups.push_back(text);
    reader.expect_messages();
    session.id = ++next_id_;
    most_sessions = std::max(most_sessions, ++sessions);
    if (!raw_answer.empty()) {
      out = raw_answer;
      return;
    }
    std::string stored = password;
    if (method == wire::AuthenticationMethod::scram)
      stored = wire::ScramVerifier::of(password, "some salt", 64).text();
    wire::ServerAuthenticationOptions asked(method, std::string(view.user()),
                                            wire::StoredSecret::parse(stored));
    asked.nonce = "3rfcNHYJY1ZVvWVs7j";
    authentication.emplace(std::move(asked));
    enter(authentication->begin(out), session, out);
  }

  void enter(wire::ServerAuthentication::Step step, Session& session, std::string& out) const {
    using Step = wire::ServerAuthentication::Step;
    if (step == Step::refused) session.is_over = true;
    if (step != Step::accepted) return;
    wire::write_parameter_status(out, "server_version", version);
    wire::write_parameter_status(out, "TimeZone", "UTC");
    if (has_key) wire::write_backend_key_data(out, {session.id, "skey"});
    out += ready();
  }

  void answer(const wire::Frame& frame, Session& session, std::string& out) {
    using wire::ServerMessage;
    if (frame.type == 'X') session.is_over = true;
    if (session.is_in_copy) return answer_copy(frame, session, out);
    if (frame.type == 'S') session.is_skipping = false;
    if (frame.type == 'S') out = ready(session.status);
    if (session.is_skipping) return;
    if (frame.type == 'P') wire::write_empty(out, ServerMessage::parse_complete);
    if (frame.type == 'B') wire::write_empty(out, ServerMessage::bind_complete);
    if (frame.type == 'E') wire::write_command_complete(out, "SELECT 0");
    if (frame.type == 'Q')
      answer_query(std::string(wire::parse_query(frame.body)->sql), session, out);
  }

  static void answer_copy(const wire::Frame& frame, Session& session, std::string& out) {
    const bool is_bad = frame.type == 'd' && session.is_bad_copy;
    if (frame.type != 'c' && frame.type != 'f' && !is_bad) return;
    session.is_in_copy = false;
    session.is_stunned = is_bad;
    if (is_bad) out = error_message("ERROR", "22P02", "invalid input syntax");
    if (frame.type == 'c') wire::write_command_complete(out, "COPY 0");
    if (frame.type == 'f') out = error_message("ERROR", "57014", "COPY from stdin failed");
    out += ready(session.status);
  }

  void answer_query(const std::string& sql, Session& session, std::string& out) {
    statements.push_back(sql);
    if (sql == "BEGIN") session.status = wire::TransactionStatus::in_transaction;
    if (sql.starts_with("ROLLBACK")) session.status = wire::TransactionStatus::idle;
    if (sql == "linger") lingers = true;
    if (sql == "COPY" || sql == "COPY bad") {
      session.is_in_copy = true;
      session.is_bad_copy = sql == "COPY bad";
      wire::write_copy_response(out, wire::ServerMessage::copy_in_response, 0, {});
      return;
    }
    if (sql == "die") {
      out = error_message("FATAL", "57P01", "terminating connection");
      session.is_over = true;
      return;
    }
    if (sql == "sleep") out = error_message("ERROR", "57014", "canceling statement");
    if (sql == "fail") out = error_message("ERROR", "42601", "syntax error");
    if (sql.starts_with("say "))
      wire::write_parameter_status(out, "application_name", sql.substr(4));
    if (sql == "rows") {
      const std::string text(20'000, 'x');
      const std::vector<wire::Value> row{wire::Value(text)};
      for (int i = 0; i < 3; ++i) wire::write_data_row(out, row);
    }
    const bool has_failed = sql == "sleep" || sql == "fail";
    if (!has_failed) wire::write_command_complete(out, "OK");
    out += ready(session.status);
  }

  Scheduler& scheduler_;
  TaskGroup tasks_;
  std::unique_ptr<StreamListener> listener_;
  std::uint32_t next_id_ = 0;
};

inline LinkTarget target_of(std::vector<StreamAddress> addresses) {
  LinkTarget target;
  for (StreamAddress& address : addresses) {
    LinkPlace& place = target.places.emplace_back(std::move(address));
    place.password = "hunter2";
  }
  target.tls = LinkTls::disable;
  target.user = "app";
  target.database = "inn";
  return target;
}

class LinkWorld {
 public:
  static StreamAddress db() { return StreamAddress::tcp("db", 5432); }

  explicit LinkWorld(const sim::SimStreamOptions& options = with_delay(), std::uint64_t seed = 1)
      : network(options, seed), server(scheduler, server_host, db()) {}
  ~LinkWorld() {
    server.close();
    server.lingers = false;
    for (const auto& wire : network.wires()) wire->cut();
    scheduler.run();
  }

  static sim::SimStreamOptions with_delay() {
    sim::SimStreamOptions options;
    options.least_delay = options.most_delay = 1ms;
    return options;
  }

  LinkEnv env() { return LinkEnv(scheduler, host, random); }
  std::unique_ptr<LinkConnector> connector(
      const LinkSettings& settings = {},
      const postgres::ServerProfile& profile = postgres::ServerProfile::postgresql()) {
    return std::make_unique<LinkConnector>(env(), target_of({db()}), profile, settings);
  }
  Instant in(Duration time) const { return scheduler.now() + time; }

  template <class T>
  void begin(Task<T> task, std::optional<T>& result) {
    start_detached(scheduler, test::keep_result(std::move(task), result));
  }
  // Until it has ended, and no longer.
  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    begin(std::move(task), result);
    while (!result && scheduler.step()) {
    }
    FOREBAY_CHECK(result.has_value(), "a task hangs");
    return std::move(*result);
  }
  Result<std::unique_ptr<Connection>> connect(LinkConnector& from, Duration timeout = 10s,
                                              const std::string& password = "") {
    return run(from.connect(password, in(timeout)));
  }
  // A link that is open, whose connector stays.
  std::unique_ptr<ServerLink> open() {
    if (!connector_) connector_ = connector();
    Result<std::unique_ptr<Connection>> opened = connect(*connector_);
    FOREBAY_CHECK(opened.has_value(), opened.error().text());
    return std::unique_ptr<ServerLink>(static_cast<ServerLink*>(opened->release()));
  }
  // Says it as one who holds the link does, and waits for nothing.
  void say(ServerLink& link, const std::string& bytes, const std::string& types) {
    for (const char type : types) link.picture().answers.sent(type);
    const Result<void> sent = run(test::write_text(link.stream(), bytes, in(1s)));
    FOREBAY_CHECK(sent.has_value(), sent.error().text());
  }
  void query(ServerLink& link, const std::string& sql) {
    std::string out;
    wire::write_query(out, sql);
    say(link, out, "Q");
  }

  sim::SimScheduler scheduler;
  SeededRandom random{7};
  sim::SimNetwork network;
  sim::SimHost host{network, scheduler, "app"};
  sim::SimHost server_host{network, scheduler, "db"};
  FakeWireServer server;

 private:
  std::unique_ptr<LinkConnector> connector_;
};

template <class T>
std::string code_of(const Result<T>& result) {
  return test::error_name(result);
}

}  // namespace forebay::proxy
