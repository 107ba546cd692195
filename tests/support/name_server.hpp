// A name server on a UDP port of 127.0.0.1 that knows a few names, or says nothing at all.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>

#include "support/loopback.hpp"

namespace forebay::test {

class NameServer {
 public:
  using Table = std::map<std::string, std::vector<std::string>>;

  // Whatever is not in the table does not exist.
  explicit NameServer(Table table) : table_(std::move(table)) {
    open();
    thread_ = std::thread([this] { serve(); });
  }
  struct Silent {};
  // Takes every question and answers none.
  explicit NameServer(Silent) { open(); }
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;
  ~NameServer() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
    ::close(socket_);
  }

  std::string place() const { return fmt::format("127.0.0.1:{}", port_); }

 private:
  static constexpr std::size_t kHeader = 12;
  static constexpr char kAddress4 = 1;  // the types of questions and answers
  static constexpr char kAddress6 = 28;

  void open() {
    sockaddr_in address = loopback_address(0);
    socklen_t length = sizeof address;
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    FOREBAY_CHECK(::bind(socket_, raw, length) == 0);
    FOREBAY_CHECK(::getsockname(socket_, raw, &length) == 0);
    port_ = ntohs(address.sin_port);
  }

  void serve() {
    while (!is_over_) {
      pollfd waiting{socket_, POLLIN, 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      std::array<char, 512> bytes;
      sockaddr_in asker{};
      socklen_t length = sizeof asker;
      auto* const raw = reinterpret_cast<sockaddr*>(&asker);
      const ssize_t count = ::recvfrom(socket_, bytes.data(), bytes.size(), 0, raw, &length);
      if (count <= static_cast<ssize_t>(kHeader)) continue;
      const std::string reply = answer(std::string(bytes.data(), static_cast<std::size_t>(count)));
      ::sendto(socket_, reply.data(), reply.size(), 0, raw, length);
    }
  }

  std::string answer(const std::string& question) const {
    std::string name;
    std::size_t at = kHeader;
    while (at < question.size() && question[at] != 0) {
      const auto part = static_cast<std::size_t>(question[at]);
      if (!name.empty()) name += '.';
      name += question.substr(at + 1, part);
      at += part + 1;
    }
    const char type = question.at(at + 2);
    const auto known = table_.find(name);
    std::string records;
    char count = 0;
    for (const std::string& text :
         known == table_.end() ? std::vector<std::string>() : known->second) {
      std::array<char, 16> address{};
      const bool is_v6 = text.contains(':');
      if (type != (is_v6 ? kAddress6 : kAddress4)) continue;
      ::inet_pton(is_v6 ? AF_INET6 : AF_INET, text.c_str(), address.data());
      const char length = is_v6 ? 16 : 4;
      // The name (as in the question), type, class, 60 s to live, length, address.
      records += std::string("\xc0\x0c\0", 3) + type + std::string("\0\1\0\0\0\x3c\0", 7) + length;
      records.append(address.data(), static_cast<std::size_t>(length));
      ++count;
    }
    const char code = known == table_.end() ? '\3' : '\0';
    std::string reply = question.substr(0, 2) + std::string("\x81", 1) +
                        static_cast<char>(0x80 | code) + std::string("\0\1\0", 3) + count +
                        std::string(4, '\0');
    return reply + question.substr(kHeader, at + 5 - kHeader) + records;
  }

  const int socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  std::uint16_t port_ = 0;
  const Table table_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace forebay::test
