// What is large passes without being kept: the proxy reads no faster than its client or its server
// takes it, whatever they have to say.
#include <fmt/format.h>

#include "proxy_real/raw_clients.hpp"

namespace forebay::proxy {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1024} * 1024;

std::size_t size_in_mebibytes(std::size_t daily, std::size_t full) {
  return std::getenv("FOREBAY_FULL_LOAD") != nullptr ? full : daily;
}

// A client that keeps nothing of what it hears, so that all that is kept is the proxy's.
class ForgetfulClient {
 public:
  explicit ForgetfulClient(std::uint16_t port) : socket_(test::loopback_socket()) {
    FOREBAY_CHECK(test::connect_on_loopback(socket_, port));
    send(start_packet());
    hear();
  }
  ForgetfulClient(const ForgetfulClient&) = delete;
  ForgetfulClient& operator=(const ForgetfulClient&) = delete;
  ~ForgetfulClient() { ::close(socket_); }

  void send(std::string_view bytes) { FOREBAY_CHECK(test::send_all(socket_, bytes)); }
  // Up to ReadyForQuery, or an invitation to send data: how much was in rows and in data.
  std::size_t hear() {
    std::size_t size = 0;
    for (;;) {
      const wire::Frame frame = reader_.next();
      if (frame.kind == wire::Frame::Kind::none) {
        const auto room = reader_.room();
        const ssize_t got = ::recv(socket_, room.data(), room.size(), 0);
        FOREBAY_CHECK(got > 0, "the proxy hung up");
        reader_.add(static_cast<std::size_t>(got));
        continue;
      }
      if (frame.type == 'D' || frame.type == 'd') size += frame.body.size();
      if (frame.type == 'E') error_ = wire::parse_error_fields(frame.body)->message();
      if (frame.type == 'C') tag_ = *wire::parse_command_complete(frame.body);
      if (frame.type == 'Z' || frame.type == 'G') return size;
    }
  }
  const std::string& tag() const { return tag_; }
  const std::string& error() const { return error_; }

 private:
  static wire::FrameOptions frames() {
    wire::FrameOptions options;
    options.sender = wire::Sender::server;
    options.whole = wire::MessageTypes("CEGZ");
    options.capacity = std::size_t{64} * 1024;
    return options;
  }

  const int socket_;
  wire::FrameReader reader_{frames()};
  std::string tag_;
  std::string error_;
};

class ProxyLargeTest : public RawClientTest {
 protected:
  static void expect_little_memory(std::size_t before) {
    if (test::kIsSanitized) return;  // sanitizers keep more
    EXPECT_LE(peak_memory(), before + 4);
  }
};

TEST_F(ProxyLargeTest, ACopyOut) {
  open(1);
  const std::size_t mebibytes = size_in_mebibytes(64, 1024);
  ForgetfulClient client(port());
  reset_peak_memory();
  const std::size_t before = peak_memory();
  client.send(query_text(fmt::format(
      "COPY (SELECT repeat('x', 1048575) FROM generate_series(1, {})) TO STDOUT", mebibytes)));
  EXPECT_EQ(client.hear(), mebibytes * kMebibyte) << client.error();
  expect_little_memory(before);
}

TEST_F(ProxyLargeTest, ACopyIn) {
  open(1);
  const std::size_t mebibytes = size_in_mebibytes(64, 1024);
  Client superuser(server_->superuser_url());
  ASSERT_TRUE(superuser.query("CREATE UNLOGGED TABLE taken (line text)").is_ok());
  ASSERT_TRUE(superuser.query("GRANT ALL ON taken TO app").is_ok());
  ForgetfulClient client(port());
  std::string lines;
  wire::write_copy_data(lines, std::string(65'535, 'x') + "\n");
  reset_peak_memory();
  const std::size_t before = peak_memory();
  client.send(query_text("COPY taken FROM STDIN"));
  client.hear();
  for (std::size_t i = 0; i < mebibytes * 16; ++i) client.send(lines);
  std::string end;
  wire::write_copy_done(end);
  client.send(end);
  client.hear();
  EXPECT_EQ(client.tag(), fmt::format("COPY {}", mebibytes * 16)) << client.error();
  expect_little_memory(before);
  ASSERT_TRUE(superuser.query("DROP TABLE taken").is_ok());
}

TEST_F(ProxyLargeTest, ARow) {
  open(1);
  const std::size_t mebibytes = size_in_mebibytes(16, 256);
  ForgetfulClient client(port());
  reset_peak_memory();
  const std::size_t before = peak_memory();
  client.send(query_text(fmt::format("SELECT repeat('x', {})", mebibytes * kMebibyte)));
  EXPECT_EQ(client.hear(), mebibytes * kMebibyte + 6) << client.error();  // a count and a length
  expect_little_memory(before);
}

TEST_F(ProxyLargeTest, AValueOfAStatement) {
  open(1);
  const std::size_t mebibytes = size_in_mebibytes(16, 256);
  ForgetfulClient client(port());
  reset_peak_memory();
  const std::size_t before = peak_memory();
  // A Bind by hand, in pieces.
  const auto length = static_cast<std::uint32_t>(mebibytes * kMebibyte);
  std::string head, rest;
  wire::write_parse(head, "", "SELECT length($1::text)");
  const auto add = [&head](std::uint32_t number) {
    for (const int shift : {24, 16, 8, 0}) head += static_cast<char>(number >> shift & 0xff);
  };
  head += 'B';
  add(4 + 1 + 1 + 2 + 2 + 4 + length + 2);
  head += std::string("\0\0\0\0\0\1", 6);
  add(length);
  client.send(head);
  const std::string piece(65'536, 'x');
  for (std::size_t sent = 0; sent < length; sent += piece.size()) client.send(piece);
  rest = std::string("\0\0", 2);
  wire::write_execute(rest, "");
  wire::write_sync(rest);
  client.send(rest);
  EXPECT_GT(client.hear(), 0u) << client.error();
  EXPECT_EQ(client.tag(), "SELECT 1") << client.error();
  expect_little_memory(before);
}

}  // namespace
}  // namespace forebay::proxy
