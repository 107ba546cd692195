// TLS against others who speak it: the openssl command on either side, curl, and psql, which begins
// TLS in the middle of a stream.
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/env/real/openssl_tls.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/stream_network.hpp"
#include "support/certificates.hpp"
#include "support/stream_tasks.hpp"

namespace forebay::real {
namespace {

using namespace std::chrono_literals;
using test::error_name;
using test::read_text;
using test::read_to_end;
using test::write_text;
using testing::HasSubstr;

using MaybeStream = Result<std::unique_ptr<ByteStream>>;

// A command of the shell, with what it prints.
class ShellCommand {
 public:
  explicit ShellCommand(const std::string& command)
      : pipe_(::popen(("timeout 60 " + command + " 2>&1").c_str(), "r")) {}
  ShellCommand(const ShellCommand&) = delete;
  ShellCommand& operator=(const ShellCommand&) = delete;
  ~ShellCommand() { ::pclose(pipe_); }

  std::string line() {
    std::array<char, 4096> text{};
    return std::fgets(text.data(), text.size(), pipe_) != nullptr ? text.data() : "";
  }
  std::string rest() {
    std::string all;
    for (std::string next = line(); !next.empty(); next = line()) all += next;
    return all;
  }

 private:
  std::FILE* const pipe_;
};

Task<Result<std::string>> read_line(ByteStream& stream, Instant deadline) {
  std::string line;
  while (!line.ends_with('\n')) {
    const Result<std::string> next = co_await read_text(stream, 1, deadline);
    if (!next) co_return failure(next.error());
    if (next->empty()) break;
    line += *next;
  }
  co_return line;
}

class TlsRealityTest : public testing::Test {
 protected:
  static Task<std::unique_ptr<StreamListener>> listen(StreamNetwork& network) {
    Result<std::unique_ptr<StreamListener>> made =
        network.listen(StreamAddress::tcp("127.0.0.1", 0));
    co_return std::move(*made);
  }
  static Task<void> drop(std::unique_ptr<StreamListener> listener) {
    listener.reset();
    co_return;
  }
  void SetUp() override {
    const test::CertificateFiles files = authority_.issue({});
    options_.certificate_file = files.certificate;
    options_.key_file = files.key;
    listener_ = run(listen(runtime_.streams()));
    port_ = std::to_string(listener_->address().port());
  }
  void TearDown() override { run(drop(std::move(listener_))); }
  template <class T>
  T run(Task<T> task) {
    return run_blocking(runtime_.scheduler(), std::move(task));
  }
  // What the task answered while the command ran, and what the command printed.
  std::pair<std::string, std::string> run_beside(Task<std::string> task,
                                                 const std::string& command) {
    std::string answer;
    std::thread server([&] { answer = run(std::move(task)); });
    std::string printed = ShellCommand(command).rest();
    server.join();
    return {answer, printed};
  }
  Instant soon() { return runtime_.scheduler().now() + 60s; }

  test::CertificateAuthority authority_{"Test CA"};
  TlsServerOptions options_;
  Runtime runtime_;
  std::unique_ptr<StreamListener> listener_;
  std::string port_;
};

// Answers one line of one caller, and says who it was.
Task<std::string> serve_line(StreamListener& listener, TlsServer& tls, Instant deadline) {
  MaybeStream clear = co_await listener.accept(deadline);
  MaybeStream stream =
      co_await tls.accept(std::move(*clear), TlsOpening::direct, ConstBytes(), deadline);
  if (!stream) co_return stream.error().text();
  const Result<std::string> line = co_await read_line(**stream, deadline);
  if (!line) co_return line.error().text();
  const Result<void> told = co_await write_text(**stream, "you said " + *line, deadline);
  if (!told) co_return told.error().text();
  const Result<void> finished = co_await (*stream)->finish(deadline);
  if (!finished) co_return finished.error().text();
  const Result<std::string> rest = co_await read_to_end(**stream, deadline);
  const StreamPeer& peer = (*stream)->peer();
  co_return peer.server_name + "|" + peer.certificate_subject + "|" + peer.protocol + "|" +
      error_name(rest);
}

TEST_F(TlsRealityTest, OpensslCallsOurServer) {
  options_.client_ca_file = authority_.ca_file();
  options_.protocol = "postgresql";
  test::CertificateWish wish;
  wish.name = "visitor";
  const test::CertificateFiles own = authority_.issue(wish);
  const auto tls = make_tls_server(options_);
  for (const std::string version : {"-tls1_2", "-tls1_3"}) {
    const auto [answer, printed] = run_beside(
        serve_line(*listener_, **tls, soon()),
        "sh -c 'echo good morning | openssl s_client -quiet -connect 127.0.0.1:" + port_ + " " +
            version + " -alpn postgresql -servername localhost -verify_return_error " +
            "-verify_hostname localhost -CAfile " + authority_.ca_file() + " -cert " +
            own.certificate + " -key " + own.key + "'");

    EXPECT_EQ(answer, "localhost|CN=visitor|postgresql|none") << printed;
    EXPECT_THAT(printed, HasSubstr("you said good morning"));
  }
}

// What a command has printed into a file, once it has printed that; what there is after a minute.
std::string wait_for_text(const std::string& file, const std::string& text) {
  const auto limit = std::chrono::steady_clock::now() + 60s;
  for (;;) {
    std::ifstream stream(file);
    const std::string printed((std::istreambuf_iterator<char>(stream)), {});
    const bool is_over = std::chrono::steady_clock::now() > limit;
    if (is_over || printed.find(text) != std::string::npos) return printed;
    std::this_thread::sleep_for(5ms);
  }
}

// In TLS 1.3 either side may change the keys at any time, and ask the other to do the same.
TEST_F(TlsRealityTest, AChangeOfKeysIsFollowed) {
  const auto tls = make_tls_server(options_);
  std::string answer;
  std::thread server([&] { answer = run(serve_line(*listener_, **tls, soon())); });
  const std::string printed = authority_.folder() + "/printed";
  const std::string command = "timeout 60 openssl s_client -connect 127.0.0.1:" + port_ +
                              " -servername localhost > " + printed + " 2>&1";
  std::FILE* const client = ::popen(command.c_str(), "w");
  EXPECT_THAT(wait_for_text(printed, "Verify return code"), HasSubstr("TLSv1.3"));
  std::fputs("K\n", client);
  std::fflush(client);
  EXPECT_THAT(wait_for_text(printed, "KEYUPDATE"), HasSubstr("KEYUPDATE"));
  std::fputs("good morning\n", client);
  std::fflush(client);
  EXPECT_THAT(wait_for_text(printed, "you said"), HasSubstr("you said good morning"));
  ::pclose(client);
  server.join();
  EXPECT_EQ(answer, "localhost|||none");
}

TEST_F(TlsRealityTest, VersionsBefore12AreRefused) {
  const auto tls = make_tls_server(options_);
  const auto [answer, printed] =
      run_beside(serve_line(*listener_, **tls, soon()),
                 "sh -c 'echo hello | openssl s_client -quiet -tls1_1 -cipher ALL:@SECLEVEL=0 "
                 "-connect 127.0.0.1:" +
                     port_ + "'");
  EXPECT_THAT(answer, HasSubstr("unsupported protocol")) << printed;
}

TEST_F(TlsRealityTest, CurlCallsOurServer) {
  const auto tls = make_tls_server(options_);
  const auto [answer, printed] =
      run_beside(serve_line(*listener_, **tls, soon()),
                 "curl --silent --show-error --http0.9 --cacert " + authority_.ca_file() +
                     " https://localhost:" + port_ + "/page");
  EXPECT_THAT(printed, HasSubstr("you said GET /page HTTP/1.1"));
  EXPECT_THAT(answer, testing::StartsWith("localhost||")) << printed;
}

// As a PostgreSQL server begins: a request in the clear, one byte in the clear, then TLS.
Task<std::string> serve_postgresql(StreamListener& listener, TlsServer& tls, Instant deadline) {
  MaybeStream clear = co_await listener.accept(deadline);
  const Result<std::string> request = co_await read_text(**clear, 8, deadline);
  if (!request || *request != std::string("\0\0\0\x08\x04\xd2\x16\x2f", 8)) co_return "no request";
  const Result<void> agreed = co_await write_text(**clear, "S", deadline);
  if (!agreed) co_return agreed.error().text();
  MaybeStream stream =
      co_await tls.accept(std::move(*clear), TlsOpening::negotiated, ConstBytes(), deadline);
  if (!stream) co_return stream.error().text();
  const Result<std::string> length = co_await read_text(**stream, 4, deadline);
  if (!length) co_return length.error().text();
  const Result<std::string> startup =
      co_await read_text(**stream, static_cast<unsigned char>(length->back()) - 4u, deadline);
  const std::string fields =
      std::string("SFATAL\0C28000\0Mno rooms left\0", 29) + std::string(1, '\0');
  const std::string message =
      std::string("E\0\0\0", 4) + static_cast<char>(fields.size() + 4) + fields;
  const Result<void> told = co_await write_text(**stream, message, deadline);
  if (!told) co_return told.error().text();
  co_return startup->substr(4);
}

TEST_F(TlsRealityTest, PsqlBeginsTlsInTheMiddleOfAStream) {
  const auto tls = make_tls_server(options_);
  const auto [answer, printed] =
      run_beside(serve_postgresql(*listener_, **tls, soon()),
                 "psql 'host=localhost hostaddr=127.0.0.1 port=" + port_ +
                     " sslmode=verify-full gssencmode=disable user=guest dbname=inn sslrootcert=" +
                     authority_.ca_file() + "'");
  EXPECT_THAT(answer, HasSubstr("guest"));
  EXPECT_THAT(printed, HasSubstr("no rooms left"));
}

// Asks a server for TLS as PostgreSQL's clients do, and then speaks through it.
Task<std::string> call_line(StreamNetwork& network, StreamAddress to, TlsClient& tls,
                            Instant deadline) {
  MaybeStream clear = co_await network.connect(std::move(to), deadline);
  if (!clear) co_return clear.error().text();
  MaybeStream stream = co_await tls.connect(std::move(*clear), "localhost", ConstBytes(), deadline);
  if (!stream) co_return stream.error().text();
  const Result<void> told = co_await write_text(**stream, "stressed\n", deadline);
  if (!told) co_return told.error().text();
  const Result<std::string> line = co_await read_line(**stream, deadline);
  if (!line) co_return line.error().text();
  const std::string subject = (*stream)->peer().certificate_subject;
  co_return *line + subject;
}

TEST_F(TlsRealityTest, WeCallTheServerOfOpenssl) {
  ShellCommand server("openssl s_server -accept 127.0.0.1:0 -naccept 3 -rev -cert " +
                      options_.certificate_file + " -key " + options_.key_file);
  std::string line = server.line();
  while (!line.empty() && !line.starts_with("ACCEPT ")) line = server.line();
  ASSERT_FALSE(line.empty());
  const auto port = static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
  const StreamAddress to = StreamAddress::tcp("127.0.0.1", port);

  TlsClientOptions options;
  options.ca_file = authority_.ca_file();
  const auto trusting = make_tls_client(options);
  EXPECT_EQ(run(call_line(runtime_.streams(), to, **trusting, soon())), "desserts\nCN=server");
  options.ca_file.clear();
  const auto by_system = make_tls_client(options);
  EXPECT_THAT(run(call_line(runtime_.streams(), to, **by_system, soon())),
              HasSubstr("was issued by CN=Test CA, whom this machine does not trust"));
  options.verify = TlsVerify::none;
  const auto careless = make_tls_client(options);
  EXPECT_EQ(run(call_line(runtime_.streams(), to, **careless, soon())), "desserts\nCN=server");
}

TEST_F(TlsRealityTest, OurClientCallsOurServer) {
  const auto tls = make_tls_server(options_);
  TlsClientOptions options;
  options.ca_file = authority_.ca_file();
  const auto client = make_tls_client(options);
  std::string served;
  std::thread server([&] { served = run(serve_line(*listener_, **tls, soon())); });
  const std::string heard =
      run(call_line(runtime_.streams(), listener_->address(), **client, soon()));
  server.join();

  EXPECT_EQ(heard, "you said stressed\nCN=server");
  EXPECT_EQ(served, "localhost|||connection_lost") << "the client hung up without a goodbye";
}

Task<void> serve_plain(StreamListener& listener, Instant deadline) {
  MaybeStream stream = co_await listener.accept(deadline);
  const Result<void> told = co_await write_text(**stream, "220 mail.example\r\n", deadline);
  EXPECT_TRUE(told.has_value());
  const Result<void> finished = co_await (*stream)->finish(deadline);
  EXPECT_TRUE(finished.has_value());
  const Result<std::string> rest = co_await read_to_end(**stream, deadline);
  EXPECT_TRUE(rest.has_value() || rest.error().code() == Errc::connection_lost);
}

TEST_F(TlsRealityTest, AServerWithoutTlsIsToldApart) {
  TlsClientOptions options;
  const auto client = make_tls_client(options);
  std::thread server([&] { run(serve_plain(*listener_, soon())); });
  EXPECT_THAT(run(call_line(runtime_.streams(), listener_->address(), **client, soon())),
              HasSubstr("does not speak TLS here"));
  server.join();
}

}  // namespace
}  // namespace forebay::real
