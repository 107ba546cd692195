#include "forebay/env/real/http_listener.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "forebay/base/fork_mark.hpp"
#include "forebay/env/real/start_thread.hpp"

namespace forebay {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::chrono::seconds kPatience{10};
constexpr std::uint32_t kLongestHeader = 16 * 1024;
constexpr std::uint64_t kLongestBody = 64 * 1024;
constexpr int kMostCallers = 64;
constexpr std::chrono::milliseconds kPauseAfterFailure{100};

HttpReply plain(unsigned status, std::string text) {
  return {status, "text/plain; charset=utf-8", std::move(text)};
}

// One connection of a caller. It keeps itself alive while something is under way.
class Caller : public std::enable_shared_from_this<Caller> {
 public:
  Caller(asio::ip::tcp::socket socket, const HttpListener::Answer& answer, int& callers)
      : stream_(std::move(socket)), answer_(answer), callers_(callers) {
    ++callers_;
  }
  ~Caller() { --callers_; }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void listen() {
    parser_.emplace();
    parser_->header_limit(kLongestHeader);
    parser_->body_limit(kLongestBody);
    stream_.expires_after(kPatience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (error == http::error::header_limit || error == http::error::body_limit) {
                         self->say(plain(413, "the request is too long\n"), false);
                       } else if (!error) {
                         self->answer();
                       }
                     });
  }
  void turn_away() { say(plain(503, "too many callers; try again later\n"), false); }

 private:
  void answer() {
    const http::request<http::string_body>& request = parser_->get();
    const bool is_kept = request.keep_alive();
    is_head_ = request.method() == http::verb::head;
    HttpQuestion question;
    question.method = is_head_ ? "GET" : std::string(request.method_string());
    const std::string_view target = request.target();
    const std::size_t mark = target.find('?');
    question.path = target.substr(0, mark);
    if (mark != std::string_view::npos) question.query = target.substr(mark + 1);
    say(ask(question), is_kept);
  }
  HttpReply ask(const HttpQuestion& question) const {
    try {
      return answer_(question);
    } catch (const std::exception& error) {
      return plain(500, std::string("something went wrong: ") + error.what() + "\n");
    } catch (...) {
      return plain(500, "something went wrong\n");
    }
  }
  void say(HttpReply reply, bool is_kept) {
    response_.emplace(static_cast<http::status>(reply.status), 11);
    response_->set(http::field::content_type, reply.content_type);
    response_->set(http::field::cache_control, "no-store");
    response_->keep_alive(is_kept);
    const std::size_t length = reply.body.size();
    if (!is_head_) response_->body() = std::move(reply.body);
    response_->content_length(length);
    stream_.expires_after(kPatience);
    serializer_.emplace(*response_);
    http::async_write(
        stream_, *serializer_, [self = shared_from_this(), is_kept](error_code error, std::size_t) {
          if (!error && is_kept) return self->listen();
          error_code ignored;
          self->stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
        });
  }

  boost::beast::tcp_stream stream_;
  const HttpListener::Answer& answer_;
  int& callers_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  bool is_head_ = false;
};

}  // namespace

struct HttpListener::Parts {
  explicit Parts(Answer answers) : answer(std::move(answers)), acceptor(context), pause(context) {}

  // An error text if it cannot.
  Result<void> bind(const std::string& address, std::uint16_t wanted) {
    error_code error;
    const asio::ip::address ip = asio::ip::make_address(address, error);
    if (error) {
      return failure(Errc::invalid,
                     fmt::format("\"{}\" is no IP address to listen on; 127.0.0.1 is for this "
                                 "machine only, 0.0.0.0 and :: are for all",
                                 address));
    }
    const asio::ip::tcp::endpoint endpoint(ip, wanted);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) return {};
    return failure(Errc::refused, fmt::format("cannot listen on {} port {}: {}", address, wanted,
                                              error.message()));
  }
  void accept() {
    acceptor.async_accept([this](error_code error, asio::ip::tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {  // no more descriptors, say: it may pass
        pause.expires_after(kPauseAfterFailure);
        pause.async_wait([this](error_code stopped) {
          if (!stopped) accept();
        });
        return;
      }
      const auto caller = std::make_shared<Caller>(std::move(socket), answer, callers);
      if (callers > kMostCallers) {
        caller->turn_away();
      } else {
        caller->listen();
      }
      accept();
    });
  }

  const ForkMark process;
  const Answer answer;
  int callers = 0;  // outlives the context, whose handlers hold the callers
  asio::io_context context{1};
  asio::ip::tcp::acceptor acceptor;
  asio::steady_timer pause;
  std::string address_text;
  std::uint16_t port = 0;
  std::thread thread;
};

Result<std::unique_ptr<HttpListener>> HttpListener::open(const std::string& address,
                                                         std::uint16_t port, Answer answer) {
  auto parts = std::make_unique<Parts>(std::move(answer));
  if (Result<void> bound = parts->bind(address, port); !bound) return failure(bound.error());
  const asio::ip::tcp::endpoint endpoint = parts->acceptor.local_endpoint();
  parts->port = endpoint.port();
  parts->address_text = endpoint.address().is_v6()
                            ? fmt::format("[{}]", endpoint.address().to_string())
                            : endpoint.address().to_string();
  parts->accept();
  Result<std::thread> thread = real::start_thread("forebay-listen", [context = &parts->context] {
    for (;;) {
      try {
        context->run();
        return;
      } catch (...) {  // out of memory, say: that caller is dropped, and the next one is served
      }
    }
  });
  if (!thread) return failure(thread.error());
  parts->thread = std::move(*thread);
  return std::unique_ptr<HttpListener>(new HttpListener(std::move(parts)));
}

HttpListener::HttpListener(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

HttpListener::~HttpListener() {
  if (parts_->process.is_in_child()) {  // the thread is the parent's
    leave_to_parent(std::move(parts_));
    return;
  }
  parts_->context.stop();
  parts_->thread.join();
}

std::uint16_t HttpListener::port() const { return parts_->port; }

std::string HttpListener::url() const {
  return fmt::format("http://{}:{}", parts_->address_text, parts_->port);
}

}  // namespace forebay
