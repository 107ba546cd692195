// A real PostgreSQL, and links to it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include "forebay/embedded/postgres_server.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/proxy/link/link_connector.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/server_messages.hpp"

namespace forebay::proxy {

using namespace std::chrono_literals;
using embedded::PostgresServer;
using embedded::PostgresServerOptions;

// Long enough for a busy machine under a sanitizer, short enough to fail a test.
inline constexpr Duration kPatience = 30s;

inline Result<LinkTarget> parse_target(const std::string& text) {
  const auto parsed = postgres::ConnectionString::parse(text);
  if (!parsed) return failure(parsed.error());
  return link_target(*parsed);
}

inline LinkTarget target(const std::string& text) {
  Result<LinkTarget> made = parse_target(text);
  FOREBAY_CHECK(made.has_value(), made.error().text());
  return std::move(*made);
}

// A server, and what its superuser says, through libpq: it is about what others made.
class LinkServer {
 public:
  explicit LinkServer(PostgresServerOptions options = {}) {
    auto launched = PostgresServer::launch(std::move(options));
    FOREBAY_CHECK(launched.has_value(), launched.error().text());
    server_ = std::move(*launched);
    ask("CREATE ROLE app LOGIN PASSWORD 'hunter2'");
  }

  PostgresServer* operator->() const { return server_.get(); }
  std::string url(const std::string& password = "hunter2") const {
    return server_->url("app", "postgres", password);
  }
  std::string ask(const std::string& sql) const {
    PGconn* const connection = PQconnectdb(server_->superuser_url().c_str());
    PGresult* const result = PQexec(connection, sql.c_str());
    const ExecStatusType status = PQresultStatus(result);
    FOREBAY_CHECK(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK,
                  PQerrorMessage(connection));
    std::string value = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
    PQclear(result);
    PQfinish(connection);
    return value;
  }
  std::string sessions() const {
    return ask("SELECT count(*) FROM pg_stat_activity WHERE usename = 'app'");
  }

 private:
  std::unique_ptr<PostgresServer> server_;
};

// The first value of what is owed, as the one who holds a link reads it: by hand, over frames() and
// stream().
inline Task<std::string> answer(ServerLink& link, Instant deadline) {
  std::string value = "no row";
  while (!link.picture().answers.is_idle()) {
    const wire::Frame frame = link.frames().next();
    if (frame.kind == wire::Frame::Kind::none) {
      const Result<std::size_t> got = co_await link.stream().read(link.frames().room(), deadline);
      if (!got || *got == 0) {
        link.mark_lost();
        co_return "lost";
      }
      link.frames().add(*got);
      continue;
    }
    if (frame.kind != wire::Frame::Kind::whole && frame.kind != wire::Frame::Kind::first) continue;
    if (frame.type == 'D' && frame.body.size() == frame.length)
      value = (*wire::parse_data_row(frame.body)->begin()).value_or("null");
    if (frame.type == 'E') value = "error";
    if (!link.picture().answers.received(frame.type, frame.body)) co_return "out of step";
  }
  co_return value;
}

// Sends, and waits for no answer.
inline Task<void> say(ServerLink& link, std::string bytes, std::string types, Instant deadline) {
  for (const char type : types) link.picture().answers.sent(type);
  const ConstBytes piece = std::as_bytes(std::span(bytes));
  const Result<void> sent = co_await link.stream().write(std::span(&piece, 1), deadline);
  FOREBAY_CHECK(sent.has_value(), sent.error().text());
}

inline Task<std::string> ask(ServerLink& link, std::string sql, Instant deadline) {
  std::string out;
  wire::write_query(out, sql);
  co_await say(link, std::move(out), "Q", deadline);
  co_return co_await answer(link, deadline);
}

inline Task<void> end_link(ServerLink* link) {
  delete link;
  co_return;
}

// A link is confined to its loop, so it ends there.
struct EndOnLoop {
  Runtime* runtime = nullptr;
  void operator()(ServerLink* link) const { run_blocking(runtime->scheduler(), end_link(link)); }
};
using OwnedLink = std::unique_ptr<ServerLink, EndOnLoop>;

// A connector, and the loop it lives on.
class LinkClient {
 public:
  LinkClient(Runtime& runtime, LinkTarget to, TlsClient* tls = nullptr,
             const LinkSettings& settings = {})
      : runtime_(runtime),
        connector_(LinkEnv(runtime.scheduler(), runtime.streams(), runtime.secure_random(), tls),
                   std::move(to), postgres::ServerProfile::postgresql(), settings) {}

  LinkConnector& connector() { return connector_; }
  Instant in(Duration time) const { return deadline_after(runtime_.scheduler().now(), time); }
  template <class T>
  T run(Task<T> task) {
    return run_blocking(runtime_.scheduler(), std::move(task));
  }
  Result<OwnedLink> try_connect(const std::string& password = "", Duration timeout = kPatience) {
    auto connection = run(connector_.connect(password, in(timeout)));
    if (!connection) return failure(connection.error());
    return OwnedLink(static_cast<ServerLink*>(connection->release()), EndOnLoop{&runtime_});
  }
  OwnedLink connect() {
    auto link = try_connect();
    FOREBAY_CHECK(link.has_value(), link.error().text());
    return std::move(*link);
  }
  std::string ask(ServerLink& link, const std::string& sql) {
    return run(proxy::ask(link, sql, in(kPatience)));
  }
  bool close(ServerLink& link) { return run(link.close(in(kPatience))); }
  // "in", or the code and the SQLSTATE of the refusal.
  std::string outcome(const std::string& password = "") {
    auto link = try_connect(password);
    if (!link) return std::string(name(link.error().code())) + " " + link.error().sqlstate();
    return close(**link) ? "in" : "in, and not out";
  }

 private:
  Runtime& runtime_;
  LinkConnector connector_;
};

}  // namespace forebay::proxy
