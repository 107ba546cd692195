// What clients say that is wrong: it ends them, soon, with the right SQLSTATE and a line in the
// log, and touches nobody else.
#include <atomic>

#include <fmt/format.h>

#include "proxy_real/raw_clients.hpp"
#include "support/captured_log.hpp"

namespace forebay::proxy {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using test::WireMessage;
using test::WireSocket;

struct BadInput {
  const char* what;
  std::string bytes;
  std::string sqlstate;
};

std::string message(char type, std::string_view body) {
  std::string out(1, type);
  const auto length = static_cast<std::uint32_t>(body.size() + 4);
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(length >> shift & 0xff);
  return out + std::string(body);
}

// Parse is right, and the Bind behind it is not.
std::string bind_of(std::string_view body) {
  std::string out;
  wire::write_parse(out, "", "SELECT $1::text");
  out += message('B', body);
  wire::write_sync(out);
  wire::write_terminate(out);  // for a server that goes on, as PostgreSQL does after such a Bind
  return out;
}

std::vector<BadInput> at_start() {
  using std::string;
  return {
      {"a packet that is too short", string("\0\0\0\5x", 5), "08P01"},
      {"a packet that is too long", string("\0\0\x7f\xff", 4), "08P01"},
      {"a length that is negative", string("\xff\xff\xff\xff", 4), "08P01"},
      {"another protocol", "GET / HTTP/1.1\r\n\r\n", "08P01"},
      {"version 2", string("\0\0\0\x08\0\2\0\0", 8), "0A000"},
      {"no user", string("\0\0\0\x09\0\3\0\0\0", 9), "28000"},
      {"a name without a value", string("\0\0\0\x0e\0\3\0\0user\0\0", 14), "08P01"},
      {"no end", string("\0\0\0\x12\0\3\0\0user\0app\0x", 18), "08P01"},
      {"a cancel key that is too short", string("\0\0\0\x0c\x04\xd2\x16\x2e\0\0\0\1", 12), "08P01"},
  };
}

std::vector<BadInput> after_login() {
  using std::string;
  using namespace std::string_literals;
  return {
      {"a length below 4", string("Q\0\0\0\3abc", 8), "08P01"},
      {"a length above the limit", string("S\x7f\xff\xff\xff", 5), "08P01"},
      {"a query above the limit", string("Q\x10\0\0\0", 5), "54000"},
      {"an unknown kind", message('z', ""), "08P01"},
      {"a second start-up packet", start_packet(), "08P01"},
      {"what only servers send", message('T', "\0\0"s), "08P01"},
      {"a query without an end", message('Q', "abc"), "08P01"},
      {"a query with two ends", message('Q', "abc\0def\0"s), "08P01"},
      {"a password nobody asked for", message('p', "\0"s), "08P01"},
      {"a Sync with a body", message('S', "x"), "08P01"},
      {"a Parse without an end", message('P', "s\0SELECT 1"s), "08P01"},
      {"a Parse with a lying count", message('P', "\0SELECT 1\0\x00\x09"s), "08P01"},
      {"a Describe of neither", message('D', "xname\0"s), "08P01"},
      {"a Close without a name", message('C', "S"), "08P01"},
      {"an Execute that is too short", message('E', "\0\0"s), "08P01"},
      {"a Bind without names", message('B', "portal"), "08P01"},
      {"a Bind with formats that are not there", bind_of("\0\0\0\5\0\0\0\0"s), "08P01"},
      {"a Bind with values that are not there", bind_of("\0\0\0\0\0\7\0\0"s), "08P01"},
      {"a Bind with a value that is too long", bind_of("\0\0\0\0\0\1\0\0\x0f\xff\x61\0\0"s),
       "08P01"},
      {"a Bind with a negative length", bind_of("\0\0\0\0\0\1\xff\xff\xff\xfe\0\0"s), "08P01"},
  };
}

// Notices whatever is done to it, while others speak nonsense.
class Witness {
 public:
  explicit Witness(const std::string& url) : client_(url), thread_([this] { watch(); }) {}
  // Once it has seen a little more.
  std::string complaint() {
    const int enough = steps_ + 5;
    while (!is_over_ && steps_ < enough) std::this_thread::sleep_for(1ms);
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
    return complaint_;
  }
  ~Witness() { complaint(); }

 private:
  void watch() {
    for (; !is_over_; ++steps_) {
      const std::string mark = fmt::format("step {}", steps_.load());
      if (!client_.query("BEGIN").is_ok() || client_.execute("SELECT $1", {mark}).value != mark ||
          !client_.query("COMMIT").is_ok()) {
        complaint_ = mark + " failed: " + client_.problem();
        is_over_ = true;
        return;
      }
    }
  }

  Client client_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> steps_ = 0;
  std::string complaint_;
  std::thread thread_;
};

class ProxyBadInputTest : public RawClientTest {
 protected:
  // Soon, and with this state.
  void expect_end(WireSocket& socket, const BadInput& input) {
    const auto before = steady_clock::now();
    socket.send(input.bytes);
    EXPECT_EQ(ending(socket), input.sqlstate) << input.what;
    EXPECT_LT(steady_clock::now() - before, test::kIsSanitized ? 10s : 3s) << input.what;
  }
};

TEST_F(ProxyBadInputTest, WhoSpeaksNonsenseIsSentAway) {
  const test::CapturedLog log(log::Level::warning);
  open(3);
  std::vector<std::string> logged;
  {
    Witness witness(url());
    for (const BadInput& input : at_start()) {
      auto socket = raw();
      expect_end(*socket, input);
      logged.push_back(input.sqlstate);
    }
    for (const BadInput& input : after_login()) {
      auto socket = raw_client();
      ASSERT_TRUE(socket != nullptr);
      expect_end(*socket, input);
      // What is in a Bind, only the server knows, and says so.
      if (!input.bytes.starts_with('P') || input.bytes.find('B') == std::string::npos)
        logged.push_back(input.sqlstate);
    }
    EXPECT_EQ(witness.complaint(), "");
  }
  EXPECT_EQ(log.values("Client refused", "sqlstate"), logged);
  expect_all_is_back();
  // Nothing of it has cost a session: those of the server's own errors were reset.
  EXPECT_LE(pool().counters.opened, 3u);
  close();
}

// Each of these is allowed, and answered as by a server: the client goes on.
TEST_F(ProxyBadInputTest, WhatComesOutOfOrderIsAnsweredAsByAServer) {
  open(1);
  std::string bind, execute, describe, copy;
  wire::write_bind(bind, {.portal = "", .statement = "nobody's"});
  wire::write_sync(bind);
  wire::write_execute(execute, "nobody's");
  wire::write_sync(execute);
  wire::write_describe(describe, wire::Target::portal, "nobody's");
  wire::write_sync(describe);
  wire::write_copy_data(copy, "1\n");
  wire::write_copy_done(copy);
  wire::write_copy_data(copy, std::string(100'000, 'x'));
  wire::write_sync(copy);
  const std::vector<BadInput> cases{{"Bind without Parse", bind, "26000"},
                                    {"Execute without Bind", execute, "34000"},
                                    {"Describe without Bind", describe, "34000"},
                                    {"COPY data without COPY", copy, ""}};
  auto socket = raw_client();
  ASSERT_TRUE(socket != nullptr);
  for (const BadInput& input : cases) {
    socket->send(input.bytes);
    std::string state;
    for (WireMessage heard = socket->next(); heard.type != 'Z'; heard = socket->next()) {
      ASSERT_NE(heard.type, 0) << input.what;
      if (heard.type == 'E') state = wire::parse_error_fields(heard.body)->sqlstate();
    }
    EXPECT_EQ(state, input.sqlstate) << input.what;
    EXPECT_TRUE(eventually([&] { return pool().lent == 0; })) << input.what;
  }
}

TEST_F(ProxyBadInputTest, WhoNeverIntroducesHimselfIsSentAway) {
  const test::CapturedLog log(log::Level::warning);
  open({route_to("postgres", 1)}, 100ms);
  auto silent = raw(), slow = raw();
  slow->send(start_packet().substr(0, 20));
  EXPECT_EQ(ending(*silent), "57014");
  EXPECT_EQ(ending(*slow), "57014");
  EXPECT_EQ(log.values("Client refused", "sqlstate").size(), 2u);
  expect_all_is_back();
  close();
}

// It takes a server's time for as long as the limit says, and no longer.
TEST_F(ProxyBadInputTest, WhoNeverReadsIsSentAway) {
  const test::CapturedLog log(log::Level::warning);
  open(1, [](RouteConfiguration& route) { route.limits.client_write = 300ms; });
  auto deaf = raw_client();
  ASSERT_TRUE(deaf != nullptr);
  deaf->send(query_text("SELECT repeat('x', 1000000) FROM generate_series(1, 100)"));
  ASSERT_TRUE(eventually([&] { return counters().clients == 0; }));
  EXPECT_EQ(log.values("Client refused", "sqlstate"), (std::vector<std::string>{"08006"}));
  expect_all_is_back();
  close();
}

}  // namespace
}  // namespace forebay::proxy
