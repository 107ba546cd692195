// HttpServer: answers HTTP/1.1 requests at one address, on the loop of its streams. Connections
// stay open between requests, and requests of one connection are answered in their order.
//
// Confined to that loop's scheduler, but for the constructor.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "forebay/env/http.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/env/stream_network.hpp"

namespace forebay::real {

// What a caller may ask of the server, and for how long. Who wants more is dropped, or told so.
class HttpServerOptions {
 public:
  using Trouble = std::function<HttpResponse(int status, const std::string& text)>;

  Duration patience = std::chrono::seconds(10);  // until a request has come, or an answer is taken
  Duration idle_limit = std::chrono::seconds(10);  // until the next request begins
  std::uint32_t longest_header = 16 * 1024;
  std::uint64_t longest_body = 64 * 1024;
  std::size_t most_callers = 64;  // the next one is turned away
  // How it says what is wrong by itself: 413, 500 or 503.
  Trouble trouble = &plain_trouble;

 private:
  static HttpResponse plain_trouble(int status, const std::string& text);
};

class HttpServer {
 public:
  // It must not wait. What it throws becomes a 500. The url of a request is what stands in its
  // first line: a path, perhaps with a query.
  using Answer = std::function<HttpResponse(const HttpRequest&)>;

  // Listens; callers wait until start(). Errors are those of StreamNetwork::listen().
  static Result<std::unique_ptr<HttpServer>> open(Scheduler& scheduler, StreamNetwork& network,
                                                  const StreamAddress& at,
                                                  const HttpServerOptions& options, Answer answer);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();  // REQUIRES: close() has ended, or it was never started

  void start();
  // Nobody can call any more, and all callers are hung up on.
  Task<void> close();

  const StreamAddress& address() const;  // with the port that the system chose

 private:
  struct Parts;
  explicit HttpServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace forebay::real
