#include "forebay/standin/dynamodb/dynamodb_server.hpp"

#include <chrono>
#include <utility>

#include "forebay/base/fork_mark.hpp"
#include "forebay/env/cancellation.hpp"
#include "forebay/env/real/http_server.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/sim/dynamodb/service.hpp"

namespace forebay::standin {
namespace {

using namespace std::chrono_literals;
using real::HttpServer;

constexpr std::uint64_t kLargestRequest = 16 * 1024 * 1024;
constexpr std::size_t kMostCallers = 500;
// Longer than libcurl or botocore keep a connection that nobody uses: whoever closes it must be
// the one who asks, or a write would now and then meet a connection that is about to close.
constexpr Duration kIdleLimit = 5min;

// Clients of AWS send their requests with a POST; this is what a load balancer or a script asks.
HttpResponse healthy() {
  HttpResponse response(200);
  response.headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
  response.body = "healthy: forebay standin\n";
  return response;
}

}  // namespace

struct DynamoDbServer::Parts {
  Parts(Runtime& shared, sim::dynamodb::Tables& served, DynamoDbServerOptions wishes)
      : runtime(shared.share()), tables(served), options(std::move(wishes)) {}

  // Of the loop, as are the others.
  Task<Result<void>> begin() {
    const StreamAddress at = StreamAddress::tcp(options.address, options.port);
    real::HttpServerOptions limits;
    limits.idle_limit = kIdleLimit;
    limits.longest_body = kLargestRequest;
    limits.most_callers = kMostCallers;
    limits.trouble = [this](int status, const std::string& text) {
      return service.answer_trouble(status, text, now());
    };
    Result<std::unique_ptr<HttpServer>> opened =
        HttpServer::open(runtime.scheduler(), runtime.streams(), at, limits,
                         [this](const HttpRequest& request) { return answer(request); });
    if (!opened) co_return failure(std::move(opened).error());
    server = std::move(*opened);
    server->start();
    tasks.spawn(keep_expiring());
    co_return Result<void>();
  }
  HttpResponse answer(const HttpRequest& request) {
    if (request.method == "GET" && request.url == "/") return healthy();
    return service.answer(request, now());
  }
  Task<void> keep_expiring() {
    for (;;) {
      const bool is_over =
          co_await end.wait_until(runtime.scheduler().now() + options.expiry_interval);
      if (is_over) co_return;
      tables.expire(now());
    }
  }
  Task<void> close() {
    end.cancel();
    co_await tasks.join();
    co_await server->close();
    server.reset();
  }
  WallTime now() { return runtime.env().wall_clock.now(); }

  Runtime runtime;
  sim::dynamodb::Tables& tables;
  const DynamoDbServerOptions options;
  sim::dynamodb::Service service{tables};
  TaskGroup tasks{runtime.scheduler()};
  Cancellation end{runtime.scheduler()};
  std::unique_ptr<HttpServer> server;
};

Result<std::unique_ptr<DynamoDbServer>> DynamoDbServer::open(Runtime& runtime,
                                                             sim::dynamodb::Tables& tables,
                                                             const DynamoDbServerOptions& options) {
  auto parts = std::make_unique<Parts>(runtime, tables, options);
  Result<void> begun = run_blocking(runtime.scheduler(), parts->begin());
  if (!begun) return failure(std::move(begun).error());
  return std::unique_ptr<DynamoDbServer>(new DynamoDbServer(std::move(parts)));
}

DynamoDbServer::DynamoDbServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

DynamoDbServer::~DynamoDbServer() {
  if (parts_->runtime.is_in_child()) {  // callers and tables are the parent's
    leave_to_parent(std::move(parts_));
    return;
  }
  run_blocking(parts_->runtime.scheduler(), parts_->close());
}

std::uint16_t DynamoDbServer::port() const { return parts_->server->address().port(); }

std::string DynamoDbServer::url() const { return "http://" + parts_->server->address().text(); }

}  // namespace forebay::standin
