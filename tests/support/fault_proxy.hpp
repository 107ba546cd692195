// A proxy between libpq and a PostgreSQL server that reads along and cuts a connection at the
// message it is told to: before the server gets it, or after the server has answered and before the
// client knows.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>

#include "support/loopback.hpp"

namespace forebay::test {

// What happens at a message of the client.
enum class Fault : std::uint8_t {
  none,
  cut_before,    // the server never gets it, and loses the client
  cut_after,     // the server gets it and answers; the client loses the server instead
  hold_answers,  // the server gets it and answers; the client waits for ever
};

// A typed message: 'Q' and the statement for a simple query.
struct ClientMessage {
  char kind = 0;
  std::string_view body;
  bool is_query(std::string_view sql) const {
    return kind == 'Q' && body == std::string(sql) + '\0';
  }
  // The same in the extended protocol, without a name.
  bool is_parse(std::string_view sql) const {
    return kind == 'P' && body.starts_with('\0' + std::string(sql) + '\0');
  }
};

class FaultProxy {
 public:
  // Asked for each message after the startup packet, one at a time. Runs on the proxy's threads.
  using Judge = std::function<Fault(const ClientMessage&)>;

  explicit FaultProxy(std::uint16_t server_port) : server_port_(server_port) {
    acceptor_ = std::thread([this] { accept_all(); });
  }
  // REQUIRES: its clients are gone.
  ~FaultProxy() {
    listener_.shut_down();
    acceptor_.join();
    for (std::thread& session : sessions_) session.join();
  }

  // Unencrypted, or there would be nothing to read.
  std::string conninfo(std::string_view user) const {
    return fmt::format(
        "host=127.0.0.1 port={} user={} dbname=postgres sslmode=disable gssencmode=disable",
        listener_.port(), user);
  }
  void set_judge(Judge judge) {
    const std::lock_guard lock(mutex_);
    judge_ = std::move(judge);
  }
  int faults() const { return faults_; }
  // How often a client had to wait for the server before it said more: how often it began to speak
  // when the server had spoken last. Its login counts, too.
  int round_trips() const { return round_trips_; }
  // Clients that have been told the end of their connection, whoever ended it.
  int ended() const { return ended_; }

  // The next COMMIT, once.
  void fail_next_commit(Fault fault) {
    set_judge([fault, is_done = false](const ClientMessage& message) mutable {
      const bool is_commit = message.is_query("COMMIT") || message.is_parse("COMMIT");
      if (is_done || !is_commit) return Fault::none;
      is_done = true;
      return fault;
    });
  }
  // The n-th message from now on, whatever it is. n counts from 1.
  void fail_message(int number, Fault fault) {
    set_judge([fault, left = number](const ClientMessage&) mutable {
      return --left == 0 ? fault : Fault::none;
    });
  }

 private:
  // One client, with its way to the server.
  struct Session {
    int client = -1;
    int server = -1;
    std::string unread;  // from the client: not yet a whole message
    bool is_started = false;
    Fault fault = Fault::none;
    bool has_server_spoken = true;  // since the client did
  };

  void accept_all() {
    for (;;) {
      const int client = listener_.accept();
      if (client < 0) return;
      send_at_once(client);
      sessions_.emplace_back([this, client] {
        Session session;
        session.client = client;
        session.server = loopback_socket();
        if (connect_on_loopback(session.server, server_port_)) carry(session);
        ::close(session.server);
        ::close(session.client);
        ++ended_;
      });
    }
  }

  void carry(Session& session) {
    for (;;) {
      std::array<pollfd, 2> waiting{};
      waiting[0] = {session.client, POLLIN, 0};
      waiting[1] = {session.server, POLLIN, 0};
      if (::poll(waiting.data(), waiting.size(), -1) < 0) return;
      if (waiting[0].revents != 0 && !carry_to_server(session)) return;
      if (waiting[1].revents != 0 && !carry_to_client(session)) return;
    }
  }

  static std::optional<std::string> receive(int socket) {
    std::array<char, 16 * 1024> part;
    const ssize_t count = ::recv(socket, part.data(), part.size(), 0);
    if (count <= 0) return std::nullopt;
    return std::string(part.data(), static_cast<std::size_t>(count));
  }

  bool carry_to_client(Session& session) {
    const std::optional<std::string> bytes = receive(session.server);
    session.has_server_spoken = true;
    if (!bytes || session.fault == Fault::cut_after) return false;
    return session.fault == Fault::hold_answers || send_all(session.client, *bytes);
  }

  bool carry_to_server(Session& session) {
    const std::optional<std::string> bytes = receive(session.client);
    if (!bytes) return false;
    if (std::exchange(session.has_server_spoken, false)) ++round_trips_;
    session.unread += *bytes;
    while (const std::size_t length = first_message(session)) {
      const std::string message = session.unread.substr(0, length);
      session.unread.erase(0, length);
      if (session.is_started && !judge(session, message)) return false;
      session.is_started = true;
      if (!send_all(session.server, message)) return false;
    }
    return true;
  }

  // False: this connection is over.
  bool judge(Session& session, const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (!judge_ || session.fault != Fault::none) return true;
    session.fault = judge_(ClientMessage{message[0], std::string_view(message).substr(5)});
    if (session.fault != Fault::none) ++faults_;
    return session.fault != Fault::cut_before;
  }

  // How long the first message is, if all of it is there; else 0.
  static std::size_t first_message(const Session& session) {
    const std::size_t kind = session.is_started ? 1 : 0;  // a startup packet has none
    std::uint32_t network = 0;
    if (session.unread.size() < kind + sizeof network) return 0;
    session.unread.copy(reinterpret_cast<char*>(&network), sizeof network, kind);
    const std::size_t length = kind + ntohl(network);
    return session.unread.size() >= length ? length : 0;
  }

  const std::uint16_t server_port_;
  LoopbackListener listener_;
  std::atomic<int> faults_ = 0;
  std::atomic<int> round_trips_ = 0;
  std::atomic<int> ended_ = 0;
  std::mutex mutex_;
  Judge judge_;
  std::vector<std::thread> sessions_;  // added by the acceptor, joined when that has ended
  std::thread acceptor_;
};

}  // namespace forebay::test
