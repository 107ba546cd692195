// HttpServer: a small real HTTP/1.1 server on a free port of 127.0.0.1, for tests of clients.
//
// One thread accepts, one serves each connection, which stays open. A handler answers; what it gets
// as `url` is the path with the query. It runs on the server's threads, one call at a time. The
// destructor closes all connections and joins.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/socket.h>

#include "forebay/env/http.hpp"
#include "support/loopback.hpp"

namespace forebay::test {

class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest& request)>;

  enum class Mode : std::uint8_t {
    answers,
    never_answers,       // reads the request and keeps the connection
    closes_at_once,      // reads the request and hangs up
    closes_mid_answer,   // promises a body and hangs up in the middle of it
    closes_when_reused,  // answers the first request of a connection, hangs up on the second
    talks_nonsense,      // answers with what is no HTTP
  };

  explicit HttpServer(Handler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  int port() const { return listener_.port(); }
  std::string url(const std::string& path = "/") const {
    return "http://127.0.0.1:" + std::to_string(port()) + path;
  }
  void set_mode(Mode mode);
  void set_delay(Duration delay);  // before each answer
  std::vector<HttpRequest> requests() const;
  std::size_t connections() const;  // accepted so far
  // Waits until so many requests have arrived.
  void wait_for_requests(std::size_t count) const;

 private:
  struct Connection {
    int socket = -1;
    std::thread thread;
  };

  void accept_all();
  void serve(int socket);
  // False: the connection is over.
  bool serve_one(int socket, std::string& buffer, int number);
  static std::optional<HttpRequest> receive(int socket, std::string& buffer);
  static std::string text_of(const HttpResponse& response);

  const Handler handler_;
  LoopbackListener listener_;
  std::thread acceptor_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Mode mode_ = Mode::answers;
  Duration delay_{};
  bool is_stopping_ = false;
  std::vector<HttpRequest> requests_;
  std::list<Connection> connections_;
};

}  // namespace forebay::test
