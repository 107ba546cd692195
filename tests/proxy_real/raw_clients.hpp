// Clients of a proxy that speak the protocol by themselves, as no driver would, and what is left of
// them.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/startup.hpp"
#include "proxy_real/proxy_fixture.hpp"
#include "support/load_time.hpp"
#include "support/wire_socket.hpp"

namespace forebay::proxy {

inline std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

// What this process has in memory, in MiB; at its peak since the last reset.
inline std::size_t peak_memory() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6)) / 1024;
  return 0;
}
inline void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

inline std::string start_packet() {
  std::string out;
  const std::vector<std::pair<std::string_view, std::string_view>> start{{"user", "app"},
                                                                         {"database", "postgres"}};
  wire::write_startup(out, wire::kVersion30, start);
  return out;
}
inline std::string query_text(std::string_view sql) {
  std::string out;
  wire::write_query(out, sql);
  return out;
}

class RawClientTest : public ProxyTest {
 protected:
  std::uint16_t port() const { return proxy_->port(); }
  std::unique_ptr<test::WireSocket> raw() const {
    auto socket = test::WireSocket::connect(port());
    socket->expect_messages();
    return socket;
  }
  // Logged in, and ready; null: it was not let in.
  std::unique_ptr<test::WireSocket> raw_client() const {
    auto socket = raw();
    socket->send(start_packet());
    for (test::WireMessage message = socket->next(); message.type != 'Z'; message = socket->next())
      if (message.type == 0) return nullptr;
    return socket;
  }
  // The SQLSTATE of the error with which the proxy ends this client; empty: none came.
  static std::string ending(test::WireSocket& socket) {
    std::string state;
    for (test::WireMessage message = socket.next(); message.type != 0; message = socket.next()) {
      if (message.type != 'E') continue;
      const Result<wire::ErrorFields> fields = wire::parse_error_fields(message.body);
      if (fields) state = fields->sqlstate();
    }
    return state;
  }
  void expect_all_is_back() {
    EXPECT_TRUE(eventually([&] {
      const PoolStatistics now = pool();
      return now.lent == 0 && now.cleaning == 0 && counters().clients == 0;
    })) << describe(pool());
    Client client(url());
    EXPECT_EQ(client.query("SELECT 'served'").value, "served");
  }
};

}  // namespace forebay::proxy
