#include "forebay/cli/serve/serve.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "forebay/base/log.hpp"
#include "forebay/cli/command.hpp"
#include "forebay/cli/demo/demo_load.hpp"
#include "forebay/cli/demo/demo_server.hpp"
#include "forebay/cli/interrupt.hpp"
#include "forebay/cli/serve/serve_proxy.hpp"
#include "forebay/cli/serve/serve_view.hpp"
#include "forebay/cli/text/terminal.hpp"
#include "forebay/configuration.hpp"
#include "forebay/metrics.hpp"
#include "forebay/proxy/proxy_metrics.hpp"

namespace forebay::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kViewEvery{250};
constexpr int kTrialClients = 20;
constexpr Duration kTrialHold = std::chrono::milliseconds(5);

// The members are in the order in which the parts lean on each other; they end in reverse.
class Serve {
 public:
  Serve(const ServeOptions& options, ConfigurationReading reading)
      : options_(options), reading_(std::move(reading)) {
    interrupt_.listen_to_keys(terminal_.keys());
  }

  Result<void> run();
  std::optional<ServeSample> last() const { return last_; }

 private:
  Result<void> start_own_server();
  void begin_log() const;
  Result<void> serve_metrics();
  Result<void> start_load();
  void announce();
  void watch_until_end();

  const ServeOptions options_;
  ConfigurationReading reading_;
  Interrupt interrupt_;
  Terminal terminal_;
  Runtime runtime_;
  std::unique_ptr<embedded::PostgresServer> server_;
  ServeHead head_;
  std::unique_ptr<ServeProxy> proxy_;
  Metrics metrics_{"serve"};
  std::vector<Metrics::Watch> watches_;
  std::unique_ptr<MetricsServer> metrics_server_;
  std::unique_ptr<postgres::PostgresPool> load_pool_;
  std::optional<DemoLoad> load_;
  Instant begun_{};
  std::optional<ServeSample> last_;
};

Result<void> Serve::run() {
  if (options_.has_own_server) {
    if (const Result<void> started = start_own_server(); !started) return started;
  } else {
    begin_log();
  }
  Result<std::unique_ptr<ServeProxy>> opened = ServeProxy::open(runtime_, reading_.proxy);
  if (!opened) return failure(std::move(opened).error());
  proxy_ = std::move(*opened);
  if (const Result<void> served = serve_metrics(); !served) return served;
  begun_ = runtime_.scheduler().now();
  if (options_.has_load) {
    if (const Result<void> started = start_load(); !started) return started;
  }
  announce();
  watch_until_end();
  if (load_) load_->end();
  if (load_pool_) load_pool_->close(std::chrono::seconds(5));
  load_.reset();
  load_pool_.reset();
  last_ = proxy_->look(begun_);
  metrics_server_.reset();
  watches_.clear();
  proxy_->close();
  return {};
}

// Nothing of the user's configuration has to do with it.
Result<void> Serve::start_own_server() {
  terminal_.draw({"starting a throw-away PostgreSQL; the first time takes some seconds ..."});
  Result<DemoServer> launched = launch_demo_server(runtime_, options_.connections);
  if (!launched) {
    return failure(launched.error().code(),
                   launched.error().text() + "\n(--database URL takes a server of your own)");
  }
  server_ = std::move(launched->server);
  head_.place = "a throw-away PostgreSQL";
  std::vector<GivenSetting> given = options_.given;
  given.emplace_back("--try", "database.url", launched->url);
  given.emplace_back("--try", "pool.max", std::to_string(options_.connections));
  given.emplace_back("--try", "reservoir.enabled", "true");
  reading_ = read_configuration(given);
  if (reading_.problems.empty()) return {};
  return failure(Errc::invalid, fmt::format("{}", fmt::join(reading_.problems, "\n")));
}

void Serve::begin_log() const {
  apply_to_log(reading_.configuration);
  for (const std::string& warning : reading_.configuration.warnings)
    log::warning("Configuration is doubtful", {log::field("reason", warning)});
}

Result<void> Serve::serve_metrics() {
  if (!options_.metrics) return {};
  for (const auto& route : proxy_->proxy().routes().all())
    watches_.push_back(watch(metrics_, route->pool()));
  watches_.push_back(metrics_.watch([this](MetricSink& sink) {
    proxy::write_proxy_metrics(sink, metrics_.service(), proxy_->look(begun_).proxy);
  }));
  for (Cluster* cluster : proxy_->clusters()) watches_.push_back(watch(metrics_, *cluster));
  auto opened = MetricsServer::open(metrics_, options_.metrics->address, options_.metrics->port);
  if (!opened) return failure(opened.error().code(), "--metrics: " + opened.error().text());
  metrics_server_ = std::move(*opened);
  head_.remarks.push_back("metrics at " + metrics_server_->url() + "/metrics");
  return {};
}

// A service of its own, which keeps its sessions with the proxy as a service would.
Result<void> Serve::start_load() {
  PoolOptions options;
  options.name = "load";
  options.size.max = kTrialClients;
  auto pool = postgres::PostgresPool::open(runtime_, proxy_->client_url(), options);
  if (!pool) return failure(std::move(pool).error());
  load_pool_ = std::move(*pool);
  load_.emplace(*load_pool_, kTrialClients, kTrialHold);
  return {};
}

void Serve::announce() {
  if (head_.place.empty()) head_.place = proxy_->place();
  head_.listen = proxy_->listen_text();
  head_.remarks.insert(head_.remarks.begin(), "try: psql '" + proxy_->client_url() + "'");
  if (terminal_.is_live()) return;
  std::fprintf(stderr, "forebay serve: at %s for %s\n", head_.listen.c_str(), head_.place.c_str());
  for (const std::string& remark : head_.remarks)
    std::fprintf(stderr, "forebay serve: %s\n", remark.c_str());
}

void Serve::watch_until_end() {
  const bool is_endless = options_.run_time == Duration::zero();
  const Instant deadline = is_endless ? kNever : deadline_after(begun_, options_.run_time);
  ServeSample earlier = proxy_->look(begun_);
  for (;;) {
    const ServeSample now = proxy_->look(begun_);
    if (terminal_.is_live()) terminal_.draw(render(head_, earlier, now, terminal_.style()));
    if (now.at - earlier.at >= std::chrono::seconds(1)) earlier = now;
    const Duration left = deadline - runtime_.scheduler().now();
    if (left <= Duration::zero()) return;
    const auto pause = std::min<Duration>(kViewEvery, left);
    if (interrupt_.wait(std::chrono::ceil<milliseconds>(pause))) return;
  }
}

}  // namespace

int run_serve(const ServeOptions& options, ConfigurationReading reading) {
  Result<void> done;
  std::optional<ServeSample> last;
  {
    Serve serve(options, std::move(reading));
    done = serve.run();
    last = serve.last();
  }
  log::write_all_repeats();
  if (!done) {
    std::fprintf(stderr, "forebay serve: %s\n", done.error().text().c_str());
    return done.error().code() == Errc::invalid ? kBadCommandLine : kFailed;
  }
  if (last) std::fputs(summary_text(*last).c_str(), stdout);
  return kDone;
}

}  // namespace forebay::cli
