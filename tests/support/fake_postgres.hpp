// A PostgreSQL server of which only the door exists: it asks for the password in clear, as Aurora
// DSQL does, and refuses or accepts as told. Who is let in gets an empty answer to every query.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/loopback.hpp"

namespace forebay::test {

// The fields of an ErrorResponse. An empty one is left out.
struct Refusal {
  std::string sqlstate;
  std::string message;
  std::string hint;
};

class FakePostgres {
 public:
  // Asked for each session with its number, from 1, and the password. Nothing: it is let in. Runs
  // on the session's thread.
  using Door = std::function<std::optional<Refusal>(int number, const std::string& password)>;

  explicit FakePostgres(Door door) : door_(std::move(door)) {
    acceptor_ = std::thread([this] { accept_all(); });
  }
  // REQUIRES: its clients are gone.
  ~FakePostgres() {
    listener_.shut_down();
    acceptor_.join();
    for (std::thread& session : sessions_) session.join();
  }

  // Without a password.
  std::string url() const {
    return fmt::format("postgresql://admin@127.0.0.1:{}/postgres", listener_.port());
  }
  std::string url_with(const std::string& password) const {
    return fmt::format("host=127.0.0.1 port={} user=admin dbname=postgres password={}",
                       listener_.port(), password);
  }
  // As they came over the wire.
  std::vector<std::string> passwords() const {
    const std::lock_guard lock(mutex_);
    return passwords_;
  }

 private:
  static constexpr std::int32_t kSslRequest = 80877103;
  static constexpr std::int32_t kGssRequest = 80877104;

  void accept_all() {
    for (;;) {
      const int socket = listener_.accept();
      if (socket < 0) return;
      sessions_.emplace_back([this, socket] {
        serve(socket);
        ::close(socket);
      });
    }
  }

  void serve(int socket) {
    std::optional<std::string> startup = read_body(socket);
    while (startup && startup->size() == 4 && is_encryption_request(*startup)) {
      send_all(socket, "N");
      startup = read_body(socket);
    }
    if (!startup) return;
    send_message(socket, 'R', number(3));  // AuthenticationCleartextPassword
    char kind = 0;
    if (!receive(socket, &kind, 1) || kind != 'p') return;
    std::optional<std::string> password = read_body(socket);
    if (!password) return;
    password->pop_back();  // the zero byte
    int session = 0;
    {
      const std::lock_guard lock(mutex_);
      passwords_.push_back(*password);
      session = static_cast<int>(passwords_.size());
    }
    if (const std::optional<Refusal> refusal = door_(session, *password)) {
      send_message(socket, 'E', fields(*refusal));
      return;
    }
    send_message(socket, 'R', number(0));  // AuthenticationOk
    send_message(socket, 'S', std::string("server_version\0", 15) + std::string("16.15\0", 6));
    send_message(socket, 'K', number(session) + number(4711));
    send_message(socket, 'Z', "I");
    answer_queries(socket);
  }

  static void answer_queries(int socket) {
    char kind = 0;
    while (receive(socket, &kind, 1) && kind != 'X') {
      if (!read_body(socket)) return;
      if (kind != 'Q' && kind != 'S') continue;
      if (kind == 'Q') send_message(socket, 'I', "");
      send_message(socket, 'Z', "I");
    }
  }

  static bool is_encryption_request(const std::string& body) {
    const std::int32_t code = read_number(body.data());
    return code == kSslRequest || code == kGssRequest;
  }

  static std::string fields(const Refusal& refusal) {
    std::string text;
    const auto add = [&text](char code, const std::string& value) {
      if (value.empty()) return;
      text += code;
      text += value;
      text += '\0';
    };
    add('S', "FATAL");
    add('V', "FATAL");
    add('C', refusal.sqlstate);
    add('M', refusal.message);
    add('H', refusal.hint);
    text += '\0';
    return text;
  }

  static std::string number(std::int32_t value) {
    const std::uint32_t network = htonl(static_cast<std::uint32_t>(value));
    return std::string(reinterpret_cast<const char*>(&network), sizeof network);
  }
  static std::int32_t read_number(const char* bytes) {
    std::uint32_t network = 0;
    std::copy_n(bytes, sizeof network, reinterpret_cast<char*>(&network));
    return static_cast<std::int32_t>(ntohl(network));
  }

  static bool receive(int socket, char* bytes, std::size_t count) {
    return ::recv(socket, bytes, count, MSG_WAITALL) == static_cast<ssize_t>(count);
  }
  static std::optional<std::string> read_body(int socket) {
    char length[4];
    if (!receive(socket, length, sizeof length)) return std::nullopt;
    std::string body(static_cast<std::size_t>(read_number(length)) - sizeof length, '\0');
    if (!body.empty() && !receive(socket, body.data(), body.size())) return std::nullopt;
    return body;
  }
  static void send_message(int socket, char kind, const std::string& body) {
    send_all(socket, kind + number(static_cast<std::int32_t>(body.size()) + 4) + body);
  }

  const Door door_;
  LoopbackListener listener_;
  mutable std::mutex mutex_;
  std::vector<std::string> passwords_;
  std::vector<std::thread> sessions_;  // added by the acceptor, joined when that has ended
  std::thread acceptor_;
};

}  // namespace forebay::test
