#include "forebay/env/real/http_listener.hpp"

#include <array>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

#include "forebay/base/fork_mark.hpp"
#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/http_preference.hpp"
#include "forebay/env/real/asio_scheduler.hpp"
#include "forebay/env/real/gzip.hpp"
#include "forebay/env/real/socket_network.hpp"
#include "forebay/env/real/start_thread.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/env/task_group.hpp"

namespace forebay {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using RequestParser = http::request_parser<http::string_body>;

constexpr std::chrono::seconds kPatience{10};
constexpr std::uint32_t kLongestHeader = 16 * 1024;
constexpr std::uint64_t kLongestBody = 64 * 1024;
constexpr std::size_t kReadAtOnce = 4 * 1024;
constexpr std::size_t kMostCallers = 64;
constexpr std::size_t kLeastToCompress = 1024;
constexpr std::string_view kIsGzip = "Content-Encoding: gzip\r\n";
constexpr std::chrono::milliseconds kPauseAfterFailure{100};

PageResponse plain(unsigned status, std::string text) {
  return {status, "text/plain; charset=utf-8", std::move(text)};
}

ConstBytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

// What a caller asked, or what to tell it about what it sent.
struct HttpCall {
  explicit HttpCall(PageResponse problem) : reply(std::move(problem)) {}
  explicit HttpCall(const http::request<http::string_body>& message)
      : is_kept(message.keep_alive()), is_head(message.method() == http::verb::head) {
    request.method = is_head ? "GET" : std::string(message.method_string());
    const std::string_view target = message.target();
    const std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string_view::npos) request.query = target.substr(mark + 1);
    request.accept = all_of(message, http::field::accept);
    understands_gzip = http_preference(all_of(message, http::field::accept_encoding), "gzip") > 0;
  }

  PageRequest request;
  std::optional<PageResponse> reply;
  bool is_kept = false;
  bool is_head = false;
  bool understands_gzip = false;

 private:
  // A header may come several times: together they are one list.
  static std::string all_of(const http::request<http::string_body>& message, http::field name) {
    std::string all;
    for (auto [each, end] = message.equal_range(name); each != end; ++each)
      all.append(all.empty() ? "" : ", ").append(std::string_view(each->value()));
    return all;
  }
};

// One connection of a caller.
class HttpCaller {
 public:
  HttpCaller(std::unique_ptr<ByteStream> stream, Scheduler& scheduler,
             const HttpListener::Answer& answer)
      : stream_(std::move(stream)), scheduler_(scheduler), answer_(answer) {}

  // Until it has no more questions, or has to go.
  Task<void> serve() {
    for (;;) {
      std::optional<HttpCall> call = co_await read_request();
      if (!call) co_return;
      PageResponse reply = call->reply ? std::move(*call->reply) : ask(call->request);
      const bool is_short = reply.body.size() < kLeastToCompress || !call->understands_gzip;
      if (!is_short) reply.body = gzipped(reply.body);
      const bool is_told = co_await send(reply, *call, is_short ? "" : kIsGzip);
      if (!is_told || !call->is_kept) co_return;
    }
  }
  Task<void> turn_away() {
    const PageResponse reply = plain(503, "too many callers; try again later\n");
    const HttpCall nobody(reply);
    co_await send(reply, nobody, "");
  }
  void hang_up() { stream_->close(); }

  ListLink<HttpCaller> link;

 private:
  // Nothing: it hung up, said what is no HTTP, or took too long.
  Task<std::optional<HttpCall>> read_request() {
    const Instant deadline = scheduler_.now() + kPatience;
    RequestParser parser;
    parser.header_limit(kLongestHeader);
    parser.body_limit(kLongestBody);
    parser.eager(true);
    for (;;) {
      error_code error;
      if (heard_.size() > 0) heard_.consume(parser.put(heard_.data(), error));
      if (error == http::error::header_limit || error == http::error::body_limit)
        co_return HttpCall(plain(413, "the request is too long\n"));
      if (error && error != http::error::need_more) co_return std::nullopt;
      if (parser.is_done()) co_return HttpCall(parser.get());
      const auto room = heard_.prepare(kReadAtOnce);
      const Bytes into(static_cast<std::byte*>(room.data()), room.size());
      const Result<std::size_t> got = co_await stream_->read(into, deadline);
      if (!got || *got == 0) co_return std::nullopt;
      heard_.commit(*got);
    }
  }
  PageResponse ask(const PageRequest& request) const {
    try {
      return answer_(request);
    } catch (const std::exception& error) {
      return plain(500, std::string("something went wrong: ") + error.what() + "\n");
    } catch (...) {
      return plain(500, "something went wrong\n");
    }
  }
  // False: it does not listen any more.
  Task<bool> send(const PageResponse& reply, const HttpCall& call, std::string_view encoding) {
    const std::string_view reason = http::obsolete_reason(static_cast<http::status>(reply.status));
    const std::string head = fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nCache-Control: no-store\r\nVary: Accept, "
        "Accept-Encoding\r\n{}{}Content-Length: {}\r\n\r\n",
        reply.status, reason, reply.content_type, encoding,
        call.is_kept ? "" : "Connection: close\r\n", reply.body.size());
    const std::array<ConstBytes, 2> pieces{bytes_of(head),
                                           call.is_head ? ConstBytes() : bytes_of(reply.body)};
    const Instant deadline = scheduler_.now() + kPatience;
    const Result<void> written = co_await stream_->write(pieces, deadline);
    if (!written) co_return false;
    if (call.is_kept) co_return true;
    const Result<void> finished = co_await stream_->finish(deadline);
    co_return finished.has_value();
  }

  const std::unique_ptr<ByteStream> stream_;
  Scheduler& scheduler_;
  const HttpListener::Answer& answer_;
  boost::beast::flat_buffer heard_;
};

}  // namespace

struct HttpListener::Parts {
  explicit Parts(Answer answers) : answer(std::move(answers)) {}

  // The flow of the thread, until close().
  Task<void> accept_all() {
    for (;;) {
      Result<std::unique_ptr<ByteStream>> stream = co_await listener->accept(kNever);
      if (stream) {
        tasks.spawn(serve(std::move(*stream)));
      } else if (stream.error().code() == Errc::closed) {
        co_return;
      } else {  // no more descriptors, say: it may pass
        co_await sleep_for(scheduler, kPauseAfterFailure);
      }
    }
  }
  Task<void> serve(std::unique_ptr<ByteStream> stream) {
    if (is_closing) co_return;  // accepted just before
    HttpCaller caller(std::move(stream), scheduler, answer);
    callers.push_back(caller);
    try {
      if (callers.size() > kMostCallers) {
        co_await caller.turn_away();
      } else {
        co_await caller.serve();
      }
    } catch (...) {  // out of memory, say: that caller is dropped, and the next one is served
    }
    callers.erase(caller);
  }
  Task<void> close() {
    is_closing = true;
    listener->close();
    for (HttpCaller* each = callers.front(); each != nullptr; each = callers.next(*each))
      each->hang_up();
    co_await tasks.join();
    listener.reset();
  }

  const ForkMark process;
  const Answer answer;
  boost::asio::io_context context{1};
  real::AsioScheduler scheduler{context};
  real::SocketNetwork network{context, scheduler, nullptr};
  TaskGroup tasks{scheduler};
  IntrusiveList<HttpCaller, &HttpCaller::link> callers;
  std::unique_ptr<StreamListener> listener;
  bool is_closing = false;
  std::string url;
  std::uint16_t port = 0;
  std::thread thread;
};

Result<std::unique_ptr<HttpListener>> HttpListener::open(const std::string& address,
                                                         std::uint16_t port, Answer answer) {
  auto parts = std::make_unique<Parts>(std::move(answer));
  Result<std::unique_ptr<StreamListener>> listener =
      parts->network.listen(StreamAddress::tcp(address, port));
  if (!listener) return failure(std::move(listener).error());
  parts->listener = std::move(*listener);
  parts->port = parts->listener->address().port();
  parts->url = "http://" + parts->listener->address().text();
  Result<std::thread> thread =
      real::start_thread("forebay-listen", [&scheduler = parts->scheduler] { scheduler.run(); });
  if (!thread) return failure(std::move(thread).error());
  parts->thread = std::move(*thread);
  parts->tasks.spawn(parts->accept_all());
  return std::unique_ptr<HttpListener>(new HttpListener(std::move(parts)));
}

HttpListener::HttpListener(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

HttpListener::~HttpListener() {
  if (parts_->process.is_in_child()) {  // the thread is the parent's
    leave_to_parent(std::move(parts_));
    return;
  }
  run_blocking(parts_->scheduler, parts_->close());
  parts_->scheduler.stop();
  parts_->thread.join();
}

std::uint16_t HttpListener::port() const { return parts_->port; }

std::string HttpListener::url() const { return parts_->url; }

}  // namespace forebay
