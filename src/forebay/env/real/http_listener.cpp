#include "forebay/env/real/http_listener.hpp"

#include <thread>

#include "forebay/base/ascii_text.hpp"
#include "forebay/base/fork_mark.hpp"
#include "forebay/env/http_preference.hpp"
#include "forebay/env/real/gzip.hpp"
#include "forebay/env/real/http_server.hpp"
#include "forebay/env/real/loop_scheduler.hpp"
#include "forebay/env/real/socket_network.hpp"
#include "forebay/env/real/start_thread.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay {
namespace {

constexpr std::size_t kLeastToCompress = 1024;

// A header may come several times: together they are one list.
std::string all_of(const HttpRequest& request, std::string_view name) {
  std::string all;
  for (const HttpHeader& header : request.headers) {
    if (is_same_name(header.name, name)) all.append(all.empty() ? "" : ", ").append(header.value);
  }
  return all;
}

PageRequest page_request(const HttpRequest& request) {
  PageRequest page;
  page.method = request.method == "HEAD" ? "GET" : request.method;
  const std::size_t mark = request.url.find('?');
  page.path = request.url.substr(0, mark);
  if (mark != std::string::npos) page.query = request.url.substr(mark + 1);
  page.accept = all_of(request, "accept");
  return page;
}

HttpResponse response_of(PageResponse page, const HttpRequest& request) {
  HttpResponse response(static_cast<int>(page.status));
  response.headers.emplace_back("Content-Type", page.content_type);
  response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("Vary", "Accept, Accept-Encoding");
  const bool understands_gzip = http_preference(all_of(request, "accept-encoding"), "gzip") > 0;
  const bool is_short = page.body.size() < kLeastToCompress || !understands_gzip;
  if (!is_short) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = is_short ? std::move(page.body) : gzipped(page.body);
  return response;
}

}  // namespace

struct HttpListener::Parts {
  const ForkMark process;
  real::LoopScheduler scheduler;
  real::SocketNetwork network{scheduler, nullptr};
  std::unique_ptr<real::HttpServer> server;
  std::thread thread;
};

Result<std::unique_ptr<HttpListener>> HttpListener::open(const std::string& address,
                                                         std::uint16_t port, Answer answer) {
  auto parts = std::make_unique<Parts>();
  if (const auto& trouble = parts->scheduler.poller().trouble()) return failure(*trouble);
  Result<std::unique_ptr<real::HttpServer>> server = real::HttpServer::open(
      parts->scheduler, parts->network, StreamAddress::tcp(address, port),
      real::HttpServerOptions(), [answer = std::move(answer)](const HttpRequest& request) {
        return response_of(answer(page_request(request)), request);
      });
  if (!server) return failure(std::move(server).error());
  parts->server = std::move(*server);
  Result<std::thread> thread =
      real::start_thread("forebay-listen", [&scheduler = parts->scheduler] { scheduler.run(); });
  if (!thread) return failure(std::move(thread).error());
  parts->thread = std::move(*thread);
  parts->server->start();
  return std::unique_ptr<HttpListener>(new HttpListener(std::move(parts)));
}

HttpListener::HttpListener(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

HttpListener::~HttpListener() {
  if (parts_->process.is_in_child()) {  // the thread is the parent's
    leave_to_parent(std::move(parts_));
    return;
  }
  run_blocking(parts_->scheduler, parts_->server->close());
  parts_->scheduler.stop();
  parts_->thread.join();
}

std::uint16_t HttpListener::port() const { return parts_->server->address().port(); }

std::string HttpListener::url() const { return "http://" + parts_->server->address().text(); }

}  // namespace forebay
