#include "forebay/cli/demo/demo.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

#include "forebay/base/log.hpp"
#include "forebay/cli/demo/demo_server.hpp"
#include "forebay/cli/demo/demo_summary.hpp"
#include "forebay/cli/demo/demo_view.hpp"
#include "forebay/cli/demo/message_queue.hpp"
#include "forebay/cli/interrupt.hpp"
#include "forebay/cli/text/terminal.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/metrics.hpp"

namespace forebay::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kViewEvery{250};
constexpr milliseconds kFillStep{50};
// Who tries something out should not have to wait to learn that nothing is there.
constexpr milliseconds kFirstConnectionLimit{1500};
constexpr Duration kCloseLimit = std::chrono::seconds(10);

// The members are in the order in which the parts lean on each other; they end in reverse.
class Demo {
 public:
  explicit Demo(const DemoOptions& options)
      : options_(options), target_(options.database.value_or("")) {
    interrupt_.listen_to_keys(terminal_.keys());
  }

  // What was done, or nothing when the user ended it before there was anything to do.
  Result<std::optional<DemoSample>> run();
  const DemoOptions& options() const { return options_; }

 private:
  Result<void> serve_metrics();
  Result<void> find_database();
  Result<void> fill();
  void serve();
  void end();

  DemoSample look();
  void draw(DemoStage stage);
  void print_messages();
  void drop_messages();
  void warn(const std::string& text);
  void print_above(const std::string& label, const std::string& text);
  Instant now() { return runtime_.scheduler().now(); }

  DemoOptions options_;
  std::string target_;
  Interrupt interrupt_;
  Terminal terminal_;
  MessageQueue messages_;
  DemoHistory history_;
  Runtime runtime_;
  std::unique_ptr<embedded::PostgresServer> server_;
  Metrics metrics_{"demo"};
  std::unique_ptr<MetricsServer> metrics_server_;
  std::unique_ptr<postgres::PostgresPool> pool_;
  Metrics::Watch watch_;
  std::optional<DemoLoad> load_;
  Instant begun_{};
};

Result<std::optional<DemoSample>> Demo::run() {
  using Outcome = Result<std::optional<DemoSample>>;
  const auto is_interrupted = [this] { return interrupt_.wait(milliseconds(0)); };
  if (const Result<void> served = serve_metrics(); !served) return failure(served.error());
  const Result<void> found = find_database();
  // An interrupted start may have failed because of the interrupt.
  if (is_interrupted()) return Outcome(std::nullopt);
  if (!found) return failure(found.error());

  begun_ = now();
  PoolOptions pool = options_.pool;
  pool.initial_fill_limit = std::min<Duration>(pool.initial_fill_limit, kFirstConnectionLimit);
  auto opened = postgres::PostgresPool::open(runtime_, target_, pool);
  if (!opened) {
    drop_messages();
    return failure(Errc::refused,
                   fmt::format("no connection to {}: {}", options_.place, opened.error().text()));
  }
  pool_ = std::move(*opened);
  watch_ = watch(metrics_, *pool_);
  const Result<void> filled = fill();
  std::optional<DemoSample> last;
  if (filled && !is_interrupted()) {
    serve();
    last = look();
  }
  if (!filled) pool_->pool().give_up();  // a silent server does not say goodbye either
  end();
  if (!filled) {
    drop_messages();
    return failure(filled.error());
  }
  return Outcome(std::move(last));
}

// Before there is anything to tell: an early probe hears that it is not ready yet.
Result<void> Demo::serve_metrics() {
  if (!options_.metrics) return {};
  auto opened = MetricsServer::open(metrics_, options_.metrics->address, options_.metrics->port);
  if (!opened) {
    return failure(opened.error().code(), "--metrics: " + opened.error().text());
  }
  metrics_server_ = std::move(*opened);
  watch_ = metrics_.watch([](MetricSink&) {}, [] { return "demo: the database is not there yet"; });
  options_.metrics_url = metrics_server_->url() + "/metrics";
  if (!terminal_.is_live())
    std::fprintf(stderr, "forebay demo: metrics at %s\n", options_.metrics_url.c_str());
  return {};
}

Result<void> Demo::find_database() {
  if (options_.database) return {};
  terminal_.draw({"starting a throw-away PostgreSQL; the first time takes some seconds ..."});
  Result<DemoServer> launched = launch_demo_server(runtime_, *options_.pool.size.max);
  if (!launched) {
    return failure(launched.error().code(),
                   launched.error().text() + "\n(--database URL takes a server of your own)");
  }
  server_ = std::move(launched->server);
  target_ = std::move(launched->url);
  options_.place = fmt::format("a throw-away PostgreSQL that allows {}", *options_.pool.size.max);
  return {};
}

// Fails when not one connection could be opened in time. Fewer than wanted are a beginning.
Result<void> Demo::fill() {
  const Duration limit = options_.pool.initial_fill_limit;
  const Duration first_limit = std::min<Duration>(limit, kFirstConnectionLimit);
  PoolStatistics pool = pool_->statistics();
  while (pool.open() < pool.target_ready &&
         now() - begun_ < (pool.counters.opened == 0 ? first_limit : limit)) {
    if (pool.counters.opened > 0) print_messages();
    draw(DemoStage::filling);
    if (interrupt_.wait(kFillStep)) return {};
    pool = pool_->statistics();
  }
  if (pool.open() >= pool.target_ready) return {};
  const std::string reason =
      pool.last_connect_error.empty() ? "no answer" : pool.last_connect_error;
  if (pool.counters.opened == 0) {
    return failure(Errc::connect_failed,
                   fmt::format("no connection to {} within {}: {}", options_.place,
                               duration_text(first_limit), reason));
  }
  warn(fmt::format("{} of {} connections after {}, going on: {}", pool.open(), pool.target_ready,
                   duration_text(limit), reason));
  return {};
}

void Demo::serve() {
  begun_ = now();
  history_ = DemoHistory();
  load_.emplace(*pool_, options_.threads, options_.hold);
  const bool is_endless = options_.run_time == Duration::zero();
  const Instant deadline = is_endless ? kNever : deadline_after(begun_, options_.run_time);
  for (;;) {
    print_messages();
    draw(DemoStage::running);
    const Duration left = deadline - now();
    if (left <= Duration::zero()) return;
    const auto pause = std::min<Duration>(kViewEvery, left);
    // Rounded up: a wait that ends a little early would be followed by many of no length.
    if (interrupt_.wait(std::chrono::ceil<milliseconds>(pause))) return;
  }
}

// Closing wakes the callers that wait, so none of them delays the end.
void Demo::end() {
  if (load_) load_->end();
  draw(DemoStage::ending);
  if (!pool_->close(kCloseLimit)) warn("the pool is still closing");
}

DemoSample Demo::look() {
  DemoSample sample;
  sample.at = now() - begun_;
  sample.pool = pool_->statistics();
  if (load_) {
    sample.load = load_->counts();
    sample.acquire_times = load_->acquire_times();
  }
  return sample;
}

void Demo::warn(const std::string& text) {
  if (terminal_.is_live()) {
    print_above("warning: ", text);
  } else {
    std::fprintf(stderr, "forebay demo: warning: %s\n", text.c_str());
  }
}

// Uncut: a message is read once, and nothing of it should be missing.
void Demo::print_above(const std::string& label, const std::string& text) {
  const TextStyle style = terminal_.style();
  const TextStyle uncut{std::numeric_limits<int>::max(), style.has_colour, style.has_unicode};
  terminal_.print_above(StyledLine(uncut).add(label, Colour::yellow).add(text).text());
}

void Demo::draw(DemoStage stage) {
  if (!terminal_.is_live()) return;
  history_.add(look());
  terminal_.draw(render(options_, stage, history_.trend(), terminal_.style()));
}

// If there is no connection in the end, one message says why, unless somebody wants to see all.
void Demo::drop_messages() {
  const bool is_asked_for = log::is_on(log::Level::warning);
  if (!is_asked_for) messages_.take();
}

// Above the view if they would run into it. Not before there is a connection.
void Demo::print_messages() {
  const bool is_above = terminal_.is_live() && ::isatty(STDERR_FILENO) == 1;
  for (const log::KeptEvent& kept : messages_.take()) {
    const log::Event event = kept.event();
    if (is_above) {
      print_above(fmt::format("{}: ", name(event.level)), describe(event));
    } else {
      log::write_to_stderr(event);
    }
  }
}

bool print(const std::string& text) {
  return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
}

}  // namespace

// Short lives and more callers than connections are what it is for: no reason to warn, as a service
// would.
int run_demo(const DemoOptions& given) {
  log::suggest_level(log::Level::error);
  DemoOptions options = given;
  Result<std::optional<DemoSample>> done = std::nullopt;
  {
    Demo demo(options);
    done = demo.run();
    options = demo.options();
  }
  // Everything has ended and the terminal is as it was: only now is it time for words.
  log::write_all_repeats();
  if (!done) {
    std::fprintf(stderr, "forebay demo: %s\n", done.error().text().c_str());
    return 1;
  }
  if (!*done) {
    std::fputs("forebay demo: ended before it had begun\n", stderr);
    return 0;
  }
  const DemoSample& last = **done;
  return print(options.is_json ? summary_json(options, last) : summary_text(options, last)) ? 0 : 1;
}

}  // namespace forebay::cli
