// Clients that begin with TLS at once, as libpq 17 does with sslnegotiation=direct.
#include "forebay/env/real/openssl_tls.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/wire/protocol/startup.hpp"
#include "standin_real/standin_fixture.hpp"
#include "support/stream_tasks.hpp"

namespace forebay::standin {
namespace {

class StandinTlsTest : public StandinTest {
 protected:
  // What the stand-in says to a start-up packet over TLS, as far as the type of its message; empty:
  // it hangs up without a word.
  std::string answer(const std::string& protocol) {
    TlsClientOptions options;
    options.ca_file = service_->certificate();
    options.protocol = protocol;
    auto tls = real::make_tls_client(options);
    EXPECT_TRUE(tls.has_value());
    const StreamAddress address = StreamAddress::tcp("127.0.0.1", service_->port());
    return run_blocking(runtime_->scheduler(), ask(runtime_->streams(), **tls, address));
  }

 private:
  static Task<std::string> ask(StreamNetwork& network, TlsClient& tls, StreamAddress address) {
    Result<std::unique_ptr<ByteStream>> clear =
        co_await network.connect(std::move(address), kNever);
    if (!clear) co_return clear.error().text();
    Result<std::unique_ptr<ByteStream>> stream =
        co_await tls.connect(std::move(*clear), kHost, ConstBytes(), kNever);
    if (!stream) co_return stream.error().text();
    std::string packet;
    const std::array<std::pair<std::string_view, std::string_view>, 2> who{
        {{"user", "admin"}, {"database", "postgres"}}};
    wire::write_startup(packet, wire::kVersion30, who);
    const auto written = co_await test::write_text(**stream, std::move(packet), kNever);
    if (!written) co_return written.error().text();
    const Result<std::string> first = co_await test::read_text(**stream, 1, kNever);
    co_return first ? *first : "";
  }
};

TEST_F(StandinTlsTest, TlsMayBeginAtOnceForWhoSaysThatItIsForPostgresql) {
  open();
  EXPECT_EQ(answer("postgresql"), "R");
}

TEST_F(StandinTlsTest, WhoDoesNotSaySoIsHungUpOn) {
  open();
  EXPECT_EQ(answer(""), "");
  EXPECT_NE(answer("http/1.1"), "R");
}

}  // namespace
}  // namespace forebay::standin
