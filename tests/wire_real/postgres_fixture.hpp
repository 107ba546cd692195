// A real PostgreSQL, and sessions with it that are written and read by wire/ alone.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include "forebay/embedded/postgres_server.hpp"
#include "forebay/wire/auth/client_authentication.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "support/wire_socket.hpp"

namespace forebay::wire {

using embedded::PostgresServer;
using embedded::PostgresServerOptions;
using test::WireMessage;
using test::WireSocket;

// One of ours with a server. After start() it is ready, or failed.
class Session {
 public:
  explicit Session(std::uint16_t port) : socket_(WireSocket::connect(port)) {
    socket_->expect_messages();
  }

  // The server's answer is "S" or "N".
  char ask_for_tls() {
    std::string out;
    write_ssl_request(out);
    socket_->send(out);
    const char answer = socket_->next_byte();
    if (answer == 'S') socket_->begin_tls();
    return answer;
  }

  void start(ClientCredentials credentials, ProtocolVersion version = kVersion30,
             std::vector<std::pair<std::string_view, std::string_view>> options = {}) {
    options.emplace_back("user", credentials.user);
    options.emplace_back("database", "postgres");
    std::string out;
    write_startup(out, version, options);
    socket_->send(out);
    authentication_.emplace(std::move(credentials));
    for (WireMessage message = next(); message.type != 'Z'; message = next())
      if (!take(message)) return;
    is_ready_ = true;
  }

  void send(const std::string& bytes) { socket_->send(bytes); }
  WireMessage next() { return socket_->next(); }
  // Messages up to ReadyForQuery, which is the last. Their types are in types().
  std::vector<WireMessage> until_ready() {
    std::vector<WireMessage> messages;
    do {
      messages.push_back(next());
      FOREBAY_CHECK(messages.back().type != 0, "the server hung up");
    } while (messages.back().type != 'Z');
    return messages;
  }
  std::vector<WireMessage> query(std::string_view sql) {
    std::string out;
    write_query(out, sql);
    send(out);
    return until_ready();
  }
  // The first value of the first row.
  std::string value_of(std::string_view sql) {
    for (const WireMessage& message : query(sql))
      if (message.type == 'D')
        return std::string((*parse_data_row(message.body)->begin()).value_or("null"));
    return "no row";
  }

  bool is_ready() const { return is_ready_; }
  std::string channel_binding() const { return socket_->channel_binding(); }
  const std::string& problem() const { return problem_; }    // ours
  const std::string& sqlstate() const { return sqlstate_; }  // the server's
  const ClientAuthentication& authentication() const { return *authentication_; }
  const std::map<std::string, std::string>& parameters() const { return parameters_; }
  CancelKeyView cancel_key() const { return {process_, key_}; }
  const std::vector<std::string>& refused_options() const { return refused_options_; }
  ProtocolVersion version() const { return version_; }

 private:
  // False: it is over.
  bool take(const WireMessage& message) {
    switch (static_cast<ServerMessage>(message.type)) {
      case ServerMessage::authentication: {
        std::string out;
        const auto step = authentication_->receive(message.body, out);
        if (!step) problem_ = step.error().text();
        socket_->send(out);
        return step.has_value();
      }
      case ServerMessage::error_response:
        sqlstate_ = parse_error_fields(message.body)->sqlstate();
        return false;
      case ServerMessage::parameter_status: {
        const auto status = parse_parameter_status(message.body);
        parameters_.emplace(status->name, status->value);
        return true;
      }
      case ServerMessage::backend_key_data: {
        const auto key = parse_backend_key_data(message.body);
        process_ = key->process;
        key_ = key->key;
        return true;
      }
      case ServerMessage::negotiate_protocol_version: {
        const auto negotiation = parse_negotiation(message.body);
        version_ = *negotiated_version(*negotiation, kVersion32);
        for (const std::string_view option : negotiation->unknown_options)
          refused_options_.emplace_back(option);
        return true;
      }
      case ServerMessage::notice_response: return true;
      default: problem_ = fmt::format("a message of type {}", int{message.type}); return false;
    }
  }

  std::unique_ptr<WireSocket> socket_;
  std::optional<ClientAuthentication> authentication_;
  std::map<std::string, std::string> parameters_;
  std::vector<std::string> refused_options_;
  ProtocolVersion version_ = kVersion32;
  std::uint32_t process_ = 0;
  std::string key_;
  std::string problem_;
  std::string sqlstate_;
  bool is_ready_ = false;
};

inline std::string types(const std::vector<WireMessage>& messages) {
  std::string text;
  for (const WireMessage& message : messages) text += message.type;
  return text;
}

inline ClientCredentials as_user(const std::string& user, const std::string& password = "") {
  ScramClientOptions secret("fyko+d2lbbFgONRv9qkxdawL");
  secret.password = password;
  return {user, secret};
}

// A server with one method of authentication, and what its superuser says.
struct RealServer {
  explicit RealServer(PostgresServerOptions options) {
    auto launched = PostgresServer::launch(std::move(options));
    FOREBAY_CHECK(launched.has_value(), launched.error().text());
    server = std::move(*launched);
  }
  // The first value, if there is one. Through libpq: it is about what others made.
  std::string ask(const std::string& sql) const {
    PGconn* const connection = PQconnectdb(server->superuser_url().c_str());
    PGresult* const result = PQexec(connection, sql.c_str());
    const ExecStatusType status = PQresultStatus(result);
    FOREBAY_CHECK(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK,
                  PQerrorMessage(connection));
    std::string value = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
    PQclear(result);
    PQfinish(connection);
    return value;
  }
  std::unique_ptr<PostgresServer> server;
};

}  // namespace forebay::wire
