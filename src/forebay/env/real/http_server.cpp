#include "forebay/env/real/http_server.hpp"

#include <array>
#include <exception>
#include <optional>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/entrance.hpp"

namespace forebay::real {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using RequestParser = http::request_parser<http::string_body>;

constexpr std::size_t kReadAtOnce = 4 * 1024;
constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";

ConstBytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// What a caller asked, or what to tell it about what it sent.
class HttpCall {
 public:
  explicit HttpCall(HttpResponse trouble) : request("", ""), reply(std::move(trouble)) {}
  explicit HttpCall(http::request<http::string_body>&& message)
      : request(std::string(message.method_string()), std::string(message.target())),
        is_kept(message.keep_alive()),
        is_head(message.method() == http::verb::head) {
    for (const auto& field : message)
      request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    request.body = std::move(message.body());
  }

  HttpRequest request;
  std::optional<HttpResponse> reply;
  bool is_kept = false;
  bool is_head = false;
};

std::string head_of(const HttpResponse& reply, bool is_kept) {
  const std::string_view reason = http::obsolete_reason(static_cast<http::status>(reply.status));
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, reason);
  for (const HttpHeader& header : reply.headers)
    head.append(header.name).append(": ").append(header.value).append("\r\n");
  if (!is_kept) head += "Connection: close\r\n";
  head += fmt::format("Content-Length: {}\r\n\r\n", reply.body.size());
  return head;
}

// One connection of a caller.
class HttpCaller {
 public:
  HttpCaller(std::unique_ptr<ByteStream> stream, Scheduler& scheduler,
             const HttpServerOptions& options, const HttpServer::Answer& answer)
      : stream_(std::move(stream)), scheduler_(scheduler), options_(options), answer_(answer) {}

  // Until it has no more questions, or has to go.
  Task<void> serve() {
    for (;;) {
      std::optional<HttpCall> call = co_await read_request();
      if (!call) co_return;
      const bool is_trouble = call->reply.has_value();
      const HttpResponse reply = is_trouble ? std::move(*call->reply) : ask(call->request);
      const bool is_told = co_await send(reply, *call);
      if (is_told && is_trouble) co_await hear_out();
      if (!is_told || !call->is_kept) co_return;
    }
  }
  Task<void> turn_away() {
    const HttpResponse reply = options_.trouble(503, "too many callers; try again later");
    const HttpCall nobody(reply);
    co_await send(reply, nobody);
  }
  void hang_up() { stream_->close(); }

  ListLink<HttpCaller> link;

 private:
  // Nothing: it hung up, said what is no HTTP, or took too long.
  Task<std::optional<HttpCall>> read_request() {
    Instant deadline = scheduler_.now() + options_.idle_limit;
    RequestParser parser;
    parser.header_limit(options_.longest_header);
    parser.body_limit(options_.longest_body);
    parser.eager(true);
    bool has_begun = false;
    bool is_waiting_for_leave = true;
    for (;;) {
      if (heard_.size() > 0 && !has_begun) {
        has_begun = true;
        deadline = scheduler_.now() + options_.patience;
      }
      error_code error;
      if (heard_.size() > 0) heard_.consume(parser.put(heard_.data(), error));
      if (error == http::error::header_limit || error == http::error::body_limit)
        co_return HttpCall(options_.trouble(413, "the request is too long"));
      if (error && error != http::error::need_more) co_return std::nullopt;
      if (parser.is_done()) co_return HttpCall(parser.release());
      if (is_waiting_for_leave && asks_for_leave(parser)) {
        is_waiting_for_leave = false;
        co_await write(kGoOn, std::string_view(), deadline);
      }
      const auto room = heard_.prepare(kReadAtOnce);
      const Bytes into(static_cast<std::byte*>(room.data()), room.size());
      const Result<std::size_t> got = co_await stream_->read(into, deadline);
      if (!got || *got == 0) co_return std::nullopt;
      heard_.commit(*got);
    }
  }
  // Some wait for a word before they send a long body.
  static bool asks_for_leave(const RequestParser& parser) {
    return parser.is_header_done() &&
           is_same_name(std::string_view(parser.get()[http::field::expect]), "100-continue");
  }

  HttpResponse ask(const HttpRequest& request) const {
    try {
      return answer_(request);
    } catch (const std::exception& error) {
      return options_.trouble(500, std::string("something went wrong: ") + error.what());
    } catch (...) {
      return options_.trouble(500, "something went wrong");
    }
  }

  // False: it does not listen any more.
  Task<bool> send(const HttpResponse& reply, const HttpCall& call) {
    const std::string head = head_of(reply, call.is_kept);
    const std::string_view body = call.is_head ? std::string_view() : std::string_view(reply.body);
    const Instant deadline = scheduler_.now() + options_.patience;
    const bool is_written = co_await write(head, body, deadline);
    if (!is_written) co_return false;
    if (call.is_kept) co_return true;
    const Result<void> finished = co_await stream_->finish(deadline);
    co_return finished.has_value();
  }
  Task<bool> write(std::string_view head, std::string_view body, Instant deadline) {
    const std::array<ConstBytes, 2> pieces{bytes_of(head), bytes_of(body)};
    const Result<void> written = co_await stream_->write(pieces, deadline);
    co_return written.has_value();
  }
  // It may still be sending what was too much. Hanging up now could take the answer back.
  Task<void> hear_out() {
    std::array<std::byte, kReadAtOnce> ignored{};
    const Instant deadline = scheduler_.now() + options_.patience;
    for (;;) {
      const Result<std::size_t> got = co_await stream_->read(ignored, deadline);
      if (!got || *got == 0 || scheduler_.now() >= deadline) co_return;
    }
  }

  const std::unique_ptr<ByteStream> stream_;
  Scheduler& scheduler_;
  const HttpServerOptions& options_;
  const HttpServer::Answer& answer_;
  boost::beast::flat_buffer heard_;
};

}  // namespace

struct HttpServer::Parts {
  Parts(Scheduler& loop, StreamNetwork& network, const HttpServerOptions& limits, Answer answers)
      : scheduler(loop),
        options(limits),
        answer(std::move(answers)),
        entrance(loop, network,
                 [this](std::unique_ptr<ByteStream> stream) { return serve(std::move(stream)); }) {}

  Task<void> serve(std::unique_ptr<ByteStream> stream) {
    HttpCaller caller(std::move(stream), scheduler, options, answer);
    callers.push_back(caller);
    try {
      if (callers.size() > options.most_callers) {
        co_await caller.turn_away();
      } else {
        co_await caller.serve();
      }
    } catch (...) {  // out of memory, say: that caller is dropped, and the next one is served
    }
    callers.erase(caller);
  }

  Scheduler& scheduler;
  const HttpServerOptions options;
  const Answer answer;
  IntrusiveList<HttpCaller, &HttpCaller::link> callers;
  std::optional<StreamAddress> address;
  Entrance entrance;
};

HttpResponse HttpServerOptions::plain_trouble(int status, const std::string& text) {
  HttpResponse response(status);
  response.headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
  response.body = text + "\n";
  return response;
}

Result<std::unique_ptr<HttpServer>> HttpServer::open(Scheduler& scheduler, StreamNetwork& network,
                                                     const StreamAddress& at,
                                                     const HttpServerOptions& options,
                                                     Answer answer) {
  auto parts = std::make_unique<Parts>(scheduler, network, options, std::move(answer));
  Result<StreamAddress> listening = parts->entrance.listen(at);
  if (!listening) return failure(std::move(listening).error());
  parts->address = std::move(*listening);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(parts)));
}

HttpServer::HttpServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

HttpServer::~HttpServer() = default;

void HttpServer::start() { parts_->entrance.open(); }

Task<void> HttpServer::close() {
  Parts& parts = *parts_;
  co_await parts.entrance.close();
  for (HttpCaller* each = parts.callers.front(); each != nullptr; each = parts.callers.next(*each))
    each->hang_up();
  co_await parts.entrance.join();
}

const StreamAddress& HttpServer::address() const { return *parts_->address; }

}  // namespace forebay::real
