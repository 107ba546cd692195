// The listener against real callers: a client that knows HTTP, and sockets that do as they like.
#include "forebay/env/real/http_listener.hpp"

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/detail/env/real/ticker.hpp"
#include "forebay/env/http.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::real {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

// A bare connection.
class Caller {
 public:
  explicit Caller(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() { ::close(socket_); }

  void say(const std::string& text) {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t step = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (step <= 0) return;  // it hung up
      sent += static_cast<std::size_t>(step);
    }
  }
  // Until the other side hangs up.
  std::string read_all() {
    std::string heard;
    char buffer[4096];
    for (;;) {
      const ssize_t step = ::recv(socket_, buffer, sizeof buffer, 0);
      if (step <= 0) return heard;
      heard.append(buffer, static_cast<std::size_t>(step));
    }
  }

 private:
  const int socket_;
};

class HttpListenerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = HttpListener::open("127.0.0.1", 0, [this](const PageRequest& request) {
      if (request.path == "/throw") throw std::runtime_error("no more paper");
      ++answered_;
      return PageResponse(200, "text/plain",
                          request.method + " " + request.path + " " + request.query + "\n");
    });
    ASSERT_TRUE(opened.has_value()) << opened.error().text();
    listener_ = std::move(*opened);
  }
  Result<HttpResponse> send(const std::string& method, const std::string& path) {
    HttpRequest request(method, listener_->url() + path);
    Scheduler& scheduler = runtime_.scheduler();
    return run_blocking(scheduler, runtime_.http().send(std::move(request), scheduler.now() + 30s));
  }

  Runtime runtime_;
  std::atomic<int> answered_ = 0;
  std::unique_ptr<HttpListener> listener_;
};

TEST_F(HttpListenerTest, AnswersOneRequestAfterAnother) {
  for (int i = 0; i < 20; ++i) {
    const Result<HttpResponse> reply = send("GET", "/metrics?name=" + std::to_string(i));
    ASSERT_TRUE(reply.has_value()) << reply.error().text();
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->body, "GET /metrics name=" + std::to_string(i) + "\n");
  }
}

TEST_F(HttpListenerTest, AHeadHasTheLengthOnly) {
  Caller caller(listener_->port());
  caller.say("HEAD /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string heard = caller.read_all();
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(heard, HasSubstr("Content-Length: 14\r\n"));
  EXPECT_TRUE(heard.ends_with("\r\n\r\n")) << heard;
}

TEST_F(HttpListenerTest, ARequestMayComeByteByByteAndTwoAtOnce) {
  const std::string last = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  Caller slow(listener_->port());
  for (const char byte : last) slow.say(std::string(1, byte));
  EXPECT_TRUE(slow.read_all().ends_with("\r\n\r\nGET /last \n"));

  Caller quick(listener_->port());
  quick.say("POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody" + last);
  const std::string heard = quick.read_all();
  EXPECT_THAT(heard, HasSubstr("\r\n\r\nPOST /first \nHTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(heard.ends_with("\r\n\r\nGET /last \n"));
}

TEST_F(HttpListenerTest, LongAnswersAreCompressedForWhoUnderstands) {
  const std::string path(2000, 'x');
  const auto ask = [&](const std::string& wanted, const std::string& headers) {
    Caller caller(listener_->port());
    caller.say("GET /" + wanted + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + headers +
               "\r\n");
    return caller.read_all();
  };
  const std::string zipped = ask(path, "Accept-Encoding: deflate, gzip\r\n");
  EXPECT_THAT(zipped, HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_THAT(zipped, HasSubstr("Vary: Accept, Accept-Encoding\r\n"));
  EXPECT_LT(zipped.size(), 500u);
  EXPECT_THAT(ask(path, "Accept-Encoding: gzip;q=0\r\n"), HasSubstr(path));
  EXPECT_THAT(ask(path, ""), HasSubstr(path));
  EXPECT_THAT(ask("short", "Accept-Encoding: gzip\r\n"), HasSubstr("GET /short"));
}

Task<void> block(std::shared_future<void> released) {
  released.wait();
  co_return;
}

TEST_F(HttpListenerTest, ItAnswersWhileTheLoopOfTheRuntimeIsStuck) {
  std::promise<void> release;
  start_detached(runtime_.scheduler(), block(release.get_future().share()));
  Caller caller(listener_->port());
  caller.say("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(caller.read_all().ends_with("GET /metrics \n"));
  release.set_value();
}

TEST_F(HttpListenerTest, WhatTheAnswerThrowsIsA500) {
  const Result<HttpResponse> reply = send("GET", "/throw");
  ASSERT_TRUE(reply.has_value()) << reply.error().text();
  EXPECT_EQ(reply->status, 500);
  EXPECT_THAT(reply->body, HasSubstr("no more paper"));
  EXPECT_TRUE(send("GET", "/").has_value());
}

TEST_F(HttpListenerTest, NonsenseAndTooMuchHarmNobodyElse) {
  Caller nonsense(listener_->port());
  nonsense.say("good morning\r\n\r\n");
  EXPECT_EQ(nonsense.read_all(), "");
  Caller longwinded(listener_->port());
  longwinded.say("GET / HTTP/1.1\r\nX-Long: " + std::string(100'000, 'x') + "\r\n\r\n");
  longwinded.read_all();  // it is told so, or hung up on
  EXPECT_EQ(answered_, 0);
  EXPECT_TRUE(send("GET", "/").has_value());
}

// Who connects and says nothing has a place, but not all of them.
TEST_F(HttpListenerTest, SilentCallersDoNotKeepOthersOut) {
  std::vector<std::unique_ptr<Caller>> silent;
  for (int i = 0; i < 40; ++i) silent.push_back(std::make_unique<Caller>(listener_->port()));
  EXPECT_TRUE(send("GET", "/").has_value());
  for (int i = 0; i < 40; ++i) silent.push_back(std::make_unique<Caller>(listener_->port()));
  EXPECT_THAT(silent.back()->read_all(), StartsWith("HTTP/1.1 503"));
  silent.clear();
  for (;;) {  // until it has noticed that they are gone
    const Result<HttpResponse> reply = send("GET", "/");
    if (reply && reply->status == 200) break;
  }
}

TEST_F(HttpListenerTest, ManyAskAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this] {
      for (int round = 0; round < 20; ++round) {
        Caller caller(listener_->port());
        caller.say("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        EXPECT_TRUE(caller.read_all().ends_with("GET /x \n"));
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(answered_, 160);
}

TEST_F(HttpListenerTest, APortThatIsTakenAndAnAddressThatIsNoneAreToldSo) {
  const auto nothing = [](const PageRequest&) { return PageResponse(200, "text/plain", ""); };
  const auto taken = HttpListener::open("127.0.0.1", listener_->port(), nothing);
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().code(), Errc::refused);
  EXPECT_THAT(taken.error().text(), HasSubstr("cannot listen on 127.0.0.1 port"));
  const auto nowhere = HttpListener::open("localhost", 0, nothing);
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_EQ(nowhere.error().code(), Errc::invalid);
  EXPECT_THAT(nowhere.error().text(), HasSubstr("\"localhost\" is no IP address"));
}

TEST_F(HttpListenerTest, ItEndsWhileCallersAreConnected) {
  Caller caller(listener_->port());
  caller.say("GET / HT");
  listener_.reset();
  EXPECT_EQ(caller.read_all(), "");
}

TEST(TickerTest, CallsUntilItIsDestroyed) {
  std::atomic<int> calls = 0;
  {
    const Ticker ticker(1ms, [&] { ++calls; });
    while (calls < 3) std::this_thread::yield();
  }
  const int at_end = calls;
  EXPECT_EQ(calls, at_end);
  const Ticker seldom(1h, [&] { ++calls; });  // and ends at once
}

}  // namespace
}  // namespace forebay::real
