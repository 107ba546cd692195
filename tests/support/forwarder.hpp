// A forwarder between clients and a server that does as much as a network could: it hands on bytes
// and the end of either side, and, when told to hold, nothing at all, in either direction, until it
// is told to let go. What it is to do with a connection it is asked at the first packet, which is a
// startup packet or a cancel request.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
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

// The first packet of a connection, with its length.
inline bool is_cancel_request(std::string_view packet) {
  return packet.starts_with(std::string_view("\0\0\0\x10\x04\xd2\x16\x2e", 8));
}

class Forwarder {
 public:
  struct Verdict {
    bool is_forwarded = true;
    std::string answer;  // sent before it is closed, if it is not forwarded; empty: it is held
  };
  // Runs on the forwarder's thread.
  using Judge = std::function<Verdict(std::string_view first_packet)>;

  explicit Forwarder(std::uint16_t server_port, Judge judge = {})
      : server_port_(server_port), judge_(std::move(judge)), worker_([this] { work(); }) {}
  ~Forwarder() {
    is_over_ = true;
    worker_.join();
  }

  std::string conninfo(std::string_view user) const {
    return fmt::format(
        "host=127.0.0.1 port={} user={} dbname=postgres sslmode=disable gssencmode=disable",
        listener_.port(), user);
  }
  std::uint16_t port() const { return listener_.port(); }
  void hold() { is_holding_ = true; }
  void let_go() { is_holding_ = false; }
  int cancels() const { return cancels_; }  // that came here, whatever became of them

 private:
  // One direction.
  struct Way {
    int from = -1;
    int to = -1;
    bool is_over = false;
  };
  struct Session {
    int client = -1;
    int server = -1;
    std::string first;  // until it is complete
    std::array<Way, 2> ways;
    bool is_silent = false;
    bool is_over = false;
  };

  void work() {
    while (!is_over_) {
      if (is_holding_) {
        ::poll(nullptr, 0, 5);
        continue;
      }
      step();
    }
    for (Session& session : sessions_) close(session);
  }

  void step() {
    std::vector<pollfd> waiting{{listener_.descriptor(), POLLIN, 0}};
    for (const Session& session : sessions_) {
      for (const int socket : {session.client, session.server})
        if (socket >= 0) waiting.push_back({socket, POLLIN, 0});
    }
    ::poll(waiting.data(), waiting.size(), 5);
    if (is_holding_) return;
    if (waiting[0].revents != 0) accept();
    for (Session& session : sessions_) serve(session);
    sessions_.remove_if([](const Session& session) { return session.is_over; });
  }

  void accept() {
    const int client = listener_.accept();
    if (client < 0) return;
    send_at_once(client);
    sessions_.emplace_back().client = client;
  }

  void serve(Session& session) {
    if (session.server < 0) {
      begin(session);
      return;
    }
    for (Way& way : session.ways) carry(session, way);
    if (session.ways[0].is_over && session.ways[1].is_over) close(session);
  }

  static std::optional<std::string> receive(int socket) {
    std::array<char, 16 * 1024> part;
    const ssize_t count = ::recv(socket, part.data(), part.size(), MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN ? std::optional<std::string>() : std::string();
    return std::string(part.data(), static_cast<std::size_t>(count));
  }

  void begin(Session& session) {
    const std::optional<std::string> bytes = receive(session.client);
    if (!bytes) return;
    if (bytes->empty()) return close(session);
    if (session.is_silent) return;
    session.first += *bytes;
    if (session.first.size() < 8) return;
    if (is_cancel_request(session.first)) ++cancels_;
    const Verdict verdict = judge_ ? judge_(session.first) : Verdict();
    if (!verdict.is_forwarded) {
      session.is_silent = true;
      if (verdict.answer.empty()) return;
      send_all(session.client, verdict.answer);
      return close(session);
    }
    session.server = loopback_socket();
    if (!connect_on_loopback(session.server, server_port_)) return close(session);
    session.ways = {Way{session.client, session.server}, Way{session.server, session.client}};
    send_all(session.server, session.first);
  }

  // The end of one side is handed on as such: the server goes on with what it is doing.
  static void carry(Session& session, Way& way) {
    if (way.is_over) return;
    const std::optional<std::string> bytes = receive(way.from);
    if (!bytes) return;
    if (!bytes->empty() && send_all(way.to, *bytes)) return;
    way.is_over = true;
    ::shutdown(way.to, SHUT_WR);
    // A server that has closed is gone, and reads nothing more.
    if (way.from == session.server) session.ways[0].is_over = session.ways[1].is_over = true;
  }

  static void close(Session& session) {
    for (int* socket : {&session.client, &session.server}) {
      if (*socket >= 0) ::close(*socket);
      *socket = -1;
    }
    session.is_over = true;
  }

  const std::uint16_t server_port_;
  const Judge judge_;
  LoopbackListener listener_;
  std::atomic<bool> is_holding_ = false;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> cancels_ = 0;
  std::list<Session> sessions_;
  std::thread worker_;
};

// What a server says to whom it does not let in.
inline std::string refusal_message(std::string_view sqlstate, std::string_view text) {
  const std::string fields =
      fmt::format("SFATAL{0}VFATAL{0}C{1}{0}M{2}{0}{0}", '\0', sqlstate, text);
  std::string message = "E";
  const std::uint32_t length = htonl(static_cast<std::uint32_t>(fields.size() + 4));
  message.append(reinterpret_cast<const char*>(&length), sizeof length);
  return message + fields;
}

}  // namespace forebay::test
