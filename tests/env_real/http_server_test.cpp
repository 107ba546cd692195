// The server of HTTP in virtual time: how long it waits for slow callers, and what it tells them.
// tests/env_real/http_listener_test.cpp has real callers.
#include "forebay/env/real/http_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_network.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "support/stream_tasks.hpp"

namespace forebay::real {
namespace {

using namespace std::chrono_literals;
using test::keep_result;
using test::read_text;
using test::read_to_end;
using test::write_text;
using testing::HasSubstr;
using testing::StartsWith;

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() {
    HttpServerOptions options;
    options.patience = 10s;
    options.idle_limit = 60s;
    options.longest_body = 1000;
    options.most_callers = 2;
    options.trouble = [](int status, const std::string& text) {
      HttpResponse response(status);
      response.body = "{" + text + "}";
      return response;
    };
    auto opened = real::HttpServer::open(
        scheduler_, host_, address_, options, [](const HttpRequest& request) {
          HttpResponse response(200);
          response.headers.emplace_back("X-Who", std::string(request.header("user-agent")));
          response.body = request.method + " " + request.url + " " + request.body;
          return response;
        });
    FOREBAY_CHECK(opened.has_value(), opened.error().text());
    server_ = std::move(*opened);
    server_->start();
  }
  ~HttpServerTest() override {
    start_detached(scheduler_, server_->close());
    scheduler_.run_for(1s);
    server_.reset();
  }

  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    start_detached(scheduler_, keep_result(std::move(task), result));
    while (!result && scheduler_.step()) {
    }
    FOREBAY_CHECK(result.has_value(), "nothing comes");
    return std::move(*result);
  }
  std::unique_ptr<ByteStream> call() {
    auto stream = run(host_.connect(address_, kNever));
    FOREBAY_CHECK(stream.has_value(), stream.error().text());
    return std::move(*stream);
  }
  void say(ByteStream& stream, const std::string& text) {
    ASSERT_TRUE(run(write_text(stream, text, kNever)).has_value());
  }
  std::string read_all(ByteStream& stream) { return run(read_to_end(stream, kNever)).value_or(""); }
  std::string read(ByteStream& stream, std::size_t length) {
    return run(read_text(stream, length, kNever)).value_or("");
  }
  // How long it takes until the server has hung up.
  Duration patience_with(ByteStream& stream) {
    const Instant from = scheduler_.now();
    EXPECT_EQ(read_all(stream), "");
    return scheduler_.now() - from;
  }

  sim::SimScheduler scheduler_;
  sim::SimNetwork network_{sim::SimStreamOptions(), 7};
  sim::SimHost host_{network_, scheduler_, "10.0.0.7"};
  const StreamAddress address_ = StreamAddress::tcp("10.0.0.1", 80);
  std::unique_ptr<real::HttpServer> server_;
};

TEST_F(HttpServerTest, ARequestIsReadAndAnsweredAsItIs) {
  const auto caller = call();
  say(*caller,
      "POST /a?b HTTP/1.1\r\nHost: x\r\nUser-Agent: me\r\nContent-Length: 4\r\n"
      "Connection: close\r\n\r\nbody");
  EXPECT_EQ(read_all(*caller),
            "HTTP/1.1 200 OK\r\nX-Who: me\r\nConnection: close\r\nContent-Length: 14\r\n\r\n"
            "POST /a?b body");
}

TEST_F(HttpServerTest, ACallerMayBeIdleLongerThanSlow) {
  const auto silent = call();
  EXPECT_EQ(patience_with(*silent), 60s);

  const auto slow = call();
  say(*slow, "GET / HT");
  EXPECT_EQ(patience_with(*slow), 10s);

  const auto again = call();
  const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string answer = "HTTP/1.1 200 OK\r\nX-Who: \r\nContent-Length: 6\r\n\r\nGET / ";
  say(*again, get);
  EXPECT_EQ(read(*again, answer.size()), answer);
  scheduler_.run_for(59s);
  say(*again, get);
  EXPECT_EQ(read(*again, answer.size()), answer);
  EXPECT_EQ(patience_with(*again), 60s);
}

// It says a little now and then, and no request ever comes of it.
TEST_F(HttpServerTest, PatienceIsForTheWholeRequest) {
  const auto caller = call();
  say(*caller, "GET / HTTP/1.1\r\n");
  for (int i = 0; i < 9; ++i) {
    scheduler_.run_for(1s);
    say(*caller, "X-More: x\r\n");
  }
  EXPECT_EQ(patience_with(*caller), 1s);
}

TEST_F(HttpServerTest, WhoWaitsForLeaveToSendGetsIt) {
  const auto caller = call();
  say(*caller,
      "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n"
      "Connection: close\r\n\r\n");
  const std::string leave = "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(read(*caller, leave.size()), leave);
  say(*caller, "ab");
  EXPECT_THAT(read_all(*caller), testing::EndsWith("POST / ab"));
}

// The answer must not be lost because it is still sending.
TEST_F(HttpServerTest, WhoSendsTooMuchIsToldSoAndHeardOut) {
  const auto caller = call();
  say(*caller, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n");
  say(*caller, std::string(300'000, 'x'));
  const std::string heard = read_all(*caller);
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(heard, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(heard, testing::EndsWith("{the request is too long}"));
}

TEST_F(HttpServerTest, ACallerTooManyIsTurnedAwayInTheWordsOfTheService) {
  const auto first = call();
  const auto second = call();
  const auto third = call();
  const std::string heard = read_all(*third);
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(heard, testing::EndsWith("{too many callers; try again later}"));
}

}  // namespace
}  // namespace forebay::real
