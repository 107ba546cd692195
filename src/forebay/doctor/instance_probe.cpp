#include "forebay/doctor/instance_probe.hpp"

#include <fmt/format.h>

#include "forebay/doctor/instance_check.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::doctor {
namespace {

constexpr int kFound = 200;

Task<Result<MetricPage>> fetch(HttpTransport& http, std::string url, Instant deadline) {
  HttpRequest request("GET", std::move(url));
  const Result<HttpResponse> response = co_await http.send(std::move(request), deadline);
  if (!response) co_return failure(response.error());
  if (response->status != kFound)
    co_return failure(Errc::refused,
                      fmt::format("it answers with HTTP status {}", response->status));
  co_return MetricPage::read(response->body);
}

Findings unreadable(const std::string& url, const Error& error) {
  Notebook notebook("instance");
  notebook.error(fmt::format("{} cannot be read: {}", url, error.text()),
                 "a running instance cannot be judged without its metrics",
                 "check that the service runs and serves its metrics there, for example "
                 "http://HOST:9464/metrics");
  return notebook.take();
}

}  // namespace

Task<Findings> look_at_running_instance(Scheduler& scheduler, HttpTransport& http,
                                        InstanceRequest request) {
  const Instant begin = scheduler.now();
  Result<MetricPage> earlier =
      co_await fetch(http, request.url, deadline_after(begin, request.timeout));
  if (!earlier) co_return unreadable(request.url, earlier.error());
  co_await sleep_for(scheduler, request.watch);
  const Instant again = scheduler.now();
  Result<MetricPage> later =
      co_await fetch(http, request.url, deadline_after(again, request.timeout));
  if (!later) co_return unreadable(request.url, later.error());
  const InstancePages pages(std::move(*earlier), std::move(*later),
                            std::chrono::round<std::chrono::milliseconds>(again - begin));
  co_return check_instance(pages);
}

}  // namespace forebay::doctor
