// A directory that a PostgreSQL asks whether a password is right (method "ldap" of pg_hba.conf), as
// Aurora DSQL asks IAM: with it, a real PostgreSQL lets in who has a good token, and nobody else.
//
// It speaks as much LDAP as that takes: a simple bind is judged, and answered. One thread serves
// one question after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "support/loopback.hpp"

namespace forebay::test {

class TokenDirectory {
 public:
  // Whether to let the user in. Runs on the directory's thread.
  using Judge = std::function<bool(const std::string& user, const std::string& password)>;

  explicit TokenDirectory(Judge judge)
      : judge_(std::move(judge)), worker_([this] { serve_all(); }) {}
  // REQUIRES: nobody is being asked about any more.
  ~TokenDirectory() {
    listener_.shut_down();
    worker_.join();
  }

  // For PostgresServerOptions::authentication.
  std::string method() const {
    return fmt::format(R"(ldap ldapserver=127.0.0.1 ldapport={} ldapprefix="{}")", listener_.port(),
                       kPrefix);
  }
  int let_in() const { return let_in_; }
  int refused() const { return refused_; }

 private:
  static constexpr std::string_view kPrefix = "cn=";
  enum Code : char { success = 0, invalid_credentials = 49 };

  void serve_all() {
    for (;;) {
      const int socket = listener_.accept();
      if (socket < 0) return;
      serve(socket);
      ::close(socket);
    }
  }

  void serve(int socket) {
    const std::optional<std::string> message = receive_value(socket);
    if (!message) return;
    std::string_view rest = *message;
    const std::string_view number = take_value(rest);
    std::string_view bind = take_value(rest);
    take_value(bind);  // the version
    std::string user(take_value(bind));
    if (user.starts_with(kPrefix)) user.erase(0, kPrefix.size());
    const bool is_right = judge_(user, std::string(take_value(bind)));
    ++(is_right ? let_in_ : refused_);
    // BindResponse: the code, no name, no text.
    const std::string code{'\x0a', 1, is_right ? success : invalid_credentials, 4, 0, 4, 0};
    send_all(socket, value('\x30', value('\x02', number) + value('\x61', code)));
    while (receive_value(socket)) continue;  // until it says goodbye
  }

  // BER: a tag, a length, so many bytes. Ours are short.
  static std::string value(char tag, std::string_view bytes) {
    return std::string{tag, static_cast<char>(bytes.size())}.append(bytes);
  }
  static std::string_view take_value(std::string_view& bytes) {
    std::size_t length = static_cast<unsigned char>(bytes.at(1));
    bytes.remove_prefix(2);
    if (length > kLongestShort) {
      const std::size_t digits = length - kLongestShort - 1;
      length = number_in(bytes.substr(0, digits));
      bytes.remove_prefix(digits);
    }
    const std::string_view found = bytes.substr(0, length);
    bytes.remove_prefix(found.size());
    return found;
  }
  static std::optional<std::string> receive_value(int socket) {
    const std::optional<std::string> start = receive(socket, 2);
    if (!start) return std::nullopt;
    std::size_t length = static_cast<unsigned char>((*start)[1]);
    if (length > kLongestShort) {
      const std::optional<std::string> digits = receive(socket, length - kLongestShort - 1);
      if (!digits) return std::nullopt;
      length = number_in(*digits);
    }
    return receive(socket, length);
  }
  static std::optional<std::string> receive(int socket, std::size_t count) {
    std::string bytes(count, '\0');
    const ssize_t got = ::recv(socket, bytes.data(), count, MSG_WAITALL);
    return got == static_cast<ssize_t>(count) ? std::optional(bytes) : std::nullopt;
  }
  static std::size_t number_in(std::string_view digits) {
    std::size_t number = 0;
    for (const char digit : digits) number = number << 8 | static_cast<unsigned char>(digit);
    return number;
  }
  static constexpr std::size_t kLongestShort = 127;  // a longer length has digits of its own

  const Judge judge_;
  LoopbackListener listener_;
  std::atomic<int> let_in_ = 0;
  std::atomic<int> refused_ = 0;
  std::thread worker_;
};

}  // namespace forebay::test
