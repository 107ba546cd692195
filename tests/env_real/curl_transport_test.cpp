// The transport against a real server: what is sent, what is heard, and how each way of failing is
// told.
#include "forebay/env/real/curl_transport.hpp"

#include <chrono>
#include <csignal>

#include <gtest/gtest.h>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/task_group.hpp"
#include "support/http_server.hpp"

namespace forebay::real {
namespace {

using namespace std::chrono_literals;
using test::HttpServer;

constexpr const char* kSecret = "s3cr3t-value";

HttpResponse echo(const HttpRequest& request) {
  HttpResponse response(200);
  response.headers.emplace_back("X-Method", request.method);
  response.body = request.url + "|" + request.body;
  return response;
}

std::string header_of(const HttpRequest& request, const std::string& name) {
  for (const HttpHeader& header : request.headers)
    if (header.name == name) return header.value;
  return "(none)";
}

class CurlTransportTest : public testing::Test {
 protected:
  Result<HttpResponse> send(HttpRequest request, Duration timeout = 10s) {
    HttpTransport& http = transport_ ? *transport_ : runtime_.http();
    Scheduler& scheduler = runtime_.scheduler();
    return run_blocking(scheduler, http.send(std::move(request), scheduler.now() + timeout));
  }
  Result<HttpResponse> get(const std::string& url, Duration timeout = 10s) {
    return send(HttpRequest("GET", url), timeout);
  }
  static HttpRequest secret_request(const std::string& url) {
    HttpRequest request("POST", url + "?token=" + kSecret);
    request.headers.emplace_back("Authorization", kSecret);
    request.body = kSecret;
    return request;
  }
  void expect_error(const Result<HttpResponse>& result, Errc code, const std::string& part) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code(), code) << result.error().text();
    EXPECT_NE(result.error().text().find(part), std::string::npos) << result.error().text();
    EXPECT_EQ(result.error().text().find(kSecret), std::string::npos);
  }
  std::string server_name() const { return "127.0.0.1:" + std::to_string(server_.port()); }

  Runtime runtime_;
  std::unique_ptr<CurlTransport> transport_;  // instead of the runtime's
  HttpServer server_{&echo};
};

TEST_F(CurlTransportTest, TheServerGetsWhatWasSentAndNothingElse) {
  HttpRequest request("POST", server_.url("/a/../b?c=%20d"));
  request.headers.emplace_back("X-Amz-Target", "Thing");
  request.headers.emplace_back("X-Empty", "");
  request.body = std::string("one\0two", 7);

  const Result<HttpResponse> response = send(request);

  ASSERT_TRUE(response.has_value()) << response.error().text();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->header("x-METHOD"), "POST");
  EXPECT_EQ(response->body, "/a/../b?c=%20d|" + request.body);
  const HttpRequest seen = server_.requests().at(0);
  EXPECT_EQ(header_of(seen, "X-Amz-Target"), "Thing");
  EXPECT_EQ(header_of(seen, "X-Empty"), "");
  EXPECT_EQ(header_of(seen, "Content-Type"), "(none)");
  EXPECT_EQ(header_of(seen, "Expect"), "(none)");
}

TEST_F(CurlTransportTest, APutWithoutBodySaysThatItsLengthIsZero) {
  const Result<HttpResponse> response = send(HttpRequest("PUT", server_.url("/token")));

  ASSERT_TRUE(response.has_value()) << response.error().text();
  EXPECT_EQ(server_.requests().at(0).method, "PUT");
  EXPECT_EQ(header_of(server_.requests().at(0), "Content-Length"), "0");
}

TEST_F(CurlTransportTest, AnyStatusIsAResponse) {
  HttpServer server([](const HttpRequest&) {
    HttpResponse response(301);
    response.headers.emplace_back("Location", "http://127.0.0.1:1/");
    response.body = "elsewhere";
    return response;
  });

  const Result<HttpResponse> response = get(server.url());

  ASSERT_TRUE(response.has_value()) << response.error().text();
  EXPECT_EQ(response->status, 301);
  EXPECT_EQ(response->body, "elsewhere");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(CurlTransportTest, OneConnectionServesManyRequests) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(get(server_.url()).has_value());

  EXPECT_EQ(server_.connections(), 1u);
  EXPECT_EQ(server_.requests().size(), 20u);
}

Task<void> send_one(HttpTransport& http, HttpRequest request, Instant deadline, int& good) {
  const Result<HttpResponse> response = co_await http.send(std::move(request), deadline);
  if (response) ++good;
}

Task<int> send_many(Runtime& runtime, std::string url, int count) {
  TaskGroup group(runtime.scheduler());
  int good = 0;
  const Instant deadline = runtime.scheduler().now() + 30s;
  for (int i = 0; i < count; ++i)
    group.spawn(send_one(runtime.http(), HttpRequest("GET", url), deadline, good));
  co_await group.join();
  co_return good;
}

TEST_F(CurlTransportTest, ManyRequestsAtOnceShareABoundedNumberOfConnections) {
  const int good = run_blocking(runtime_.scheduler(), send_many(runtime_, server_.url("/x"), 300));

  EXPECT_EQ(good, 300);
  EXPECT_LE(server_.connections(), 32u);
}

TEST_F(CurlTransportTest, NobodyListensIsConnectFailed) {
  std::string url;
  {
    const HttpServer gone(&echo);
    url = gone.url("/path");
  }

  const Result<HttpResponse> result = send(secret_request(url));

  expect_error(result, Errc::connect_failed, "127.0.0.1:");
}

TEST_F(CurlTransportTest, ANameThatNobodyKnowsIsConnectFailed) {
  const Result<HttpResponse> result = send(secret_request("http://no-such-host.invalid/path"), 20s);

  expect_error(result, Errc::connect_failed, "no-such-host.invalid:80");
}

TEST_F(CurlTransportTest, AServerThatHangsUpOnARequestIsConnectionLost) {
  server_.set_mode(HttpServer::Mode::closes_at_once);

  const Result<HttpResponse> result = send(secret_request(server_.url()));

  expect_error(result, Errc::connection_lost, server_name());
}

TEST_F(CurlTransportTest, AnAnswerThatIsCutIsConnectionLost) {
  server_.set_mode(HttpServer::Mode::closes_mid_answer);

  const Result<HttpResponse> result = send(secret_request(server_.url()));

  expect_error(result, Errc::connection_lost, server_name());
}

TEST_F(CurlTransportTest, WhatIsNoHttpIsConnectionLost) {
  server_.set_mode(HttpServer::Mode::talks_nonsense);

  const Result<HttpResponse> result = send(secret_request(server_.url()));

  expect_error(result, Errc::connection_lost, server_name());
}

// Nobody can know whether the server did it, so the transport does not ask it to do it again.
TEST_F(CurlTransportTest, AChangeIsNotSentAgainWhenAKeptConnectionBreaks) {
  server_.set_mode(HttpServer::Mode::closes_when_reused);
  ASSERT_TRUE(get(server_.url()).has_value());

  const Result<HttpResponse> result = send(secret_request(server_.url()));

  expect_error(result, Errc::connection_lost, server_name());
  EXPECT_EQ(server_.requests().size(), 2u);
}

TEST_F(CurlTransportTest, AQuestionIsSentAgainWhenAKeptConnectionBreaks) {
  server_.set_mode(HttpServer::Mode::closes_when_reused);
  ASSERT_TRUE(get(server_.url()).has_value());

  const Result<HttpResponse> result = get(server_.url());

  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(server_.requests().size(), 3u);
}

TEST_F(CurlTransportTest, AServerThatHangsEndsAtTheDeadlineAndLeavesTheOthersAlone) {
  server_.set_mode(HttpServer::Mode::never_answers);
  const Instant start = runtime_.scheduler().now();

  const Result<HttpResponse> result = send(secret_request(server_.url()), 150ms);
  const Duration taken = runtime_.scheduler().now() - start;

  expect_error(result, Errc::timed_out, server_name() + " did not answer within ");
  EXPECT_GE(taken, 150ms);
  EXPECT_LT(taken, 5s);
  server_.set_mode(HttpServer::Mode::answers);
  EXPECT_TRUE(get(server_.url()).has_value());
}

// 192.0.2.0/24 is for documentation: packets to it vanish, or are refused at once where there is no
// route.
TEST_F(CurlTransportTest, AServerThatIsNotThereEndsByTheDeadline) {
  const Instant start = runtime_.scheduler().now();

  const Result<HttpResponse> result = send(secret_request("http://192.0.2.1/path"), 150ms);

  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().text().find("192.0.2.1:80 was not reached"), std::string::npos)
      << result.error().text();
  EXPECT_LT(runtime_.scheduler().now() - start, 5s);
}

TEST_F(CurlTransportTest, ADeadlineInThePastSendsNothing) {
  const Result<HttpResponse> result = get(server_.url(), -1ms);

  expect_error(result, Errc::timed_out, server_name());
  EXPECT_EQ(server_.requests().size(), 0u);
}

TEST_F(CurlTransportTest, AnAnswerWithoutEndIsRefused) {
  HttpServer server([](const HttpRequest&) {
    HttpResponse response(200);
    response.body.assign(CurlTransfer::kLargestResponse + 1, 'x');
    return response;
  });

  const Result<HttpResponse> result = get(server.url());

  expect_error(result, Errc::connection_lost, "more than 16 MiB");
}

TEST_F(CurlTransportTest, WhatCannotBeSentIsInvalid) {
  HttpRequest split("GET", server_.url());
  split.headers.emplace_back("X-Token", std::string(kSecret) + "\r\nX-Other: 1");

  expect_error(send(split), Errc::invalid, "line break");
  expect_error(get("ftp://127.0.0.1/"), Errc::invalid, "https or http");
  expect_error(get("http://user:" + std::string(kSecret) + "@127.0.0.1/"), Errc::invalid, "user");
  expect_error(get("not a url"), Errc::invalid, "cannot be understood");
  expect_error(get("http://host\r\n/"), Errc::invalid, "cannot be understood");
  expect_error(send(HttpRequest("GE T", server_.url())), Errc::invalid, "capitals");
  EXPECT_EQ(server_.requests().size(), 0u);
}

TEST_F(CurlTransportTest, AProxyIsUsedForOthersButNotForWhatIsNextToUs) {
  HttpServer proxy([](const HttpRequest&) { return HttpResponse(299); });
  CurlSettings settings;
  settings.http_proxy = proxy.url();
  settings.no_proxy = "direct.invalid";
  transport_ = std::make_unique<CurlTransport>(runtime_.scheduler(), settings);

  const Result<HttpResponse> far = get("http://far.example/thing");
  const Result<HttpResponse> near = get(server_.url("/near"));
  const Result<HttpResponse> direct = get("http://direct.invalid/");

  ASSERT_TRUE(far.has_value()) << far.error().text();
  EXPECT_EQ(far->status, 299);
  EXPECT_EQ(proxy.requests().at(0).url, "http://far.example/thing");
  ASSERT_TRUE(near.has_value());
  EXPECT_EQ(near->status, 200);
  expect_error(direct, Errc::connect_failed, "direct.invalid");
  EXPECT_EQ(proxy.requests().size(), 1u);
  for (const char* host : {"169.254.169.254", "169.254.170.23", "fd00:ec2::254", "localhost"})
    EXPECT_TRUE(is_next_to_us(host)) << host;
  EXPECT_FALSE(is_next_to_us("dynamodb.eu-west-1.amazonaws.com"));
}

Task<void> keep_result(Task<Result<HttpResponse>> task, std::optional<Result<HttpResponse>>& kept,
                       ThreadParker& parker) {
  kept.emplace(co_await std::move(task));
  parker.unpark();
}

TEST_F(CurlTransportTest, RequestsUnderWayEndAsClosedWhenTheTransportGoes) {
  server_.set_mode(HttpServer::Mode::never_answers);
  transport_ = std::make_unique<CurlTransport>(runtime_.scheduler());
  std::optional<Result<HttpResponse>> kept;
  ThreadParker parker;
  start_detached(
      runtime_.scheduler(),
      keep_result(transport_->send(secret_request(server_.url()), kNever), kept, parker));
  server_.wait_for_requests(1);

  transport_.reset();
  parker.park();

  expect_error(*kept, Errc::closed, server_name());
}

TEST_F(CurlTransportTest, ARuntimeEndsWhileARequestIsUnderWay) {
  server_.set_mode(HttpServer::Mode::never_answers);
  std::optional<Result<HttpResponse>> kept;
  ThreadParker parker;
  {
    Runtime runtime;
    start_detached(
        runtime.scheduler(),
        keep_result(runtime.http().send(secret_request(server_.url()), kNever), kept, parker));
    server_.wait_for_requests(1);
  }

  expect_error(*kept, Errc::closed, server_name());
}

// TLS is refused by a server that speaks none, before anything of the request has left.
TEST_F(CurlTransportTest, AServerWithoutTlsHearsNothingOfARequestOverHttps) {
  const std::string url = "https://" + server_name() + "/";

  const Result<HttpResponse> result = send(secret_request(url), 200ms);

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().text().find(kSecret), std::string::npos);
  EXPECT_EQ(server_.requests().size(), 0u);
}

}  // namespace
}  // namespace forebay::real
