// One process of a cluster, for tests with many: a reservoir of connections to PostgreSQL under the
// limit and the rate that all share through DynamoDB, with a light load on it. It prints one line
// of JSON a second and ends on SIGTERM, with everything given back.
//
//   forebay_cluster_member postgres=<conninfo or URL> dynamodb=<URL> table=<name>
//       endpoint=<name of the database in the table> [member=<id>] [limit=<n>] [wanted=<n>]
//       [ttl=<seconds>] [linger=<seconds>] [work=<seconds that a statement takes>] [rate=<per
//       second>] [burst=<n>] [mode=window|bucket|auto] [loss=keep|fence] [absence=hold|local]
//       [lifetime=<seconds>] [callers=<n>] [credentials=static|environment] [user=<role, for
//       tokens>] [region=<name>] [age=<seconds after which the server cuts a session>]
//       [accounts=<n>] [filled=<n>] [kind=ours|older]
//
// With accounts its callers move amounts between them in transactions (TransferLoad). They begin
// when as many connections are open as filled says.
//
// With kind=older it has no lease, and asks for permits as clients of the older kind do: by the
// second, one by one.
//
// Exit status: 0 everything was given back, 1 it was not, 2 the arguments are wrong.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cluster/member_load.hpp"
#include "forebay/base/json_text.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/forebay.hpp"
#include "forebay/pool/admission.hpp"
#include "support/older_client.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

// Words of the form name=value.
class Arguments {
 public:
  Arguments(int count, char** words) {
    for (int i = 1; i < count; ++i) {
      const std::string word = words[i];
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) refuse(word + ": it is not name=value");
      values_[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  std::string text(const std::string& name) { return take(name, nullptr); }
  std::string text(const std::string& name, const char* otherwise) { return take(name, otherwise); }
  double number(const std::string& name, const char* otherwise) {
    const std::string value = take(name, otherwise);
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0') refuse(name + "=" + value + ": it is not a number");
    return number;
  }
  int whole(const std::string& name, const char* otherwise) {
    return static_cast<int>(number(name, otherwise));
  }
  Duration seconds(const std::string& name, const char* otherwise) {
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(number(name, otherwise)));
  }
  bool is_first(const std::string& name, const char* first, const char* second) {
    const std::string value = take(name, first);
    if (value != first && value != second)
      refuse(fmt::format("{}={}: it is {} or {}", name, value, first, second));
    return value == first;
  }
  void expect_no_more() {
    if (!values_.empty()) refuse(values_.begin()->first + ": there is no such argument");
  }

 private:
  [[noreturn]] static void refuse(const std::string& text) {
    std::cerr << text << '\n';
    std::exit(2);
  }
  std::string take(const std::string& name, const char* otherwise) {
    const auto found = values_.find(name);
    if (found != values_.end()) return values_.extract(found).mapped();
    if (otherwise == nullptr) refuse(name + " is missing");
    return otherwise;
  }
  std::map<std::string, std::string> values_;
};

struct Settings {
  std::string target;
  ClusterOptions cluster;
  PoolOptions pool;
  int callers = 4;
  double work = 0;   // seconds
  int accounts = 0;  // to move amounts between; 0: sessions are taken for the time of work
  bool is_older = false;
};

Settings read(Arguments& arguments) {
  Settings settings;
  const std::string member = arguments.text("member", "member");
  settings.target = arguments.text("postgres");
  const bool is_url = settings.target.contains("://");
  settings.target += !is_url ? " " : settings.target.contains('?') ? "&" : "?";
  settings.target += "application_name=" + member;

  ClusterOptions& cluster = settings.cluster;
  cluster.endpoint = arguments.text("endpoint");
  cluster.member = member;
  cluster.service = "member";
  cluster.dynamodb_url = arguments.text("dynamodb");
  cluster.region = arguments.text("region", "eu-west-1");
  if (arguments.is_first("credentials", "static", "environment"))
    cluster.credentials.emplace("local", "secret");
  cluster.user = arguments.text("user", "");
  cluster.lease_table = arguments.text("table");
  cluster.rate_table = cluster.lease_table;
  cluster.limit = arguments.whole("limit", "100");
  cluster.min_share = arguments.whole("min_share", "0");
  cluster.ttl = arguments.seconds("ttl", "10");
  cluster.session_linger = arguments.seconds("linger", "1");
  cluster.connects_per_second = arguments.number("rate", "100");
  cluster.burst = arguments.whole("burst", "100");
  const std::string mode = arguments.text("mode", "");
  if (mode == "bucket") cluster.rate_mode = RateMode::bucket;
  if (mode == "auto") cluster.rate_mode = RateMode::automatic;
  settings.is_older = !arguments.is_first("kind", "ours", "older");
  cluster.on_loss =
      arguments.is_first("loss", "keep", "fence") ? LeaseLoss::keep : LeaseLoss::fence;
  cluster.on_absence =
      arguments.is_first("absence", "hold", "local") ? StoreAbsence::hold : StoreAbsence::local;
  cluster.stagger = 500ms;

  PoolOptions& pool = settings.pool;
  pool.name = member;
  pool.size.max = arguments.whole("wanted", "10");
  pool.size.low_watermark = arguments.whole("filled", "0");
  pool.supply = Supply::reservoir;
  pool.lifetime = arguments.seconds("lifetime", "60");
  pool.lifetime_jitter = *pool.lifetime / 5;
  pool.guard_window = *pool.lifetime / 20;
  pool.check_after_idle = 2s;  // connections that a test cuts are missed soon, used or not
  settings.callers = arguments.whole("callers", "4");
  settings.work = arguments.number("work", "0");
  if (const Duration age = arguments.seconds("age", "0"); age > Duration::zero()) {
    pool.server_limit = age;
    pool.longest_transaction = age / 10;
  }
  settings.accounts = arguments.whole("accounts", "0");
  arguments.expect_no_more();
  return settings;
}

// Permits as clients of the older kind take them: of the second that it is, until one is left.
class OlderPermits final : public PermitSource {
 public:
  OlderPermits(Env env, aws::DynamoDb& client, const ClusterOptions& options)
      : env_(env),
        older_(client, options.rate_table, options.endpoint),
        limit_(static_cast<int>(options.connects_per_second)) {}

  Task<Result<Instant>> reserve(Instant deadline) override {
    while (env_.scheduler.now() < deadline) {
      const auto second = std::chrono::floor<std::chrono::seconds>(env_.wall_clock.now());
      const Result<bool> is_taken =
          co_await older_.take(second.time_since_epoch().count(), 1, limit_, deadline);
      if (!is_taken) co_return failure(is_taken.error());
      if (*is_taken) co_return env_.scheduler.now();
      const Duration pause = env_.random.between(50ms, 250ms);
      co_await sleep_for(env_.scheduler, pause);
    }
    co_return failure(Errc::timed_out, "no permit was left");
  }
  void give_back(Instant) override {}

 private:
  const Env env_;
  OlderClient older_;
  const int limit_;
};

std::string failures_json(const PoolCounters& counters) {
  std::string items;
  for (std::size_t i = 0; i < kOpenFailures; ++i) {
    items += fmt::format(R"({}"{}":{})", i > 0 ? "," : "", name(static_cast<OpenFailure>(i)),
                         counters.failures[i]);
  }
  return "{" + items + "}";
}

void report(const std::string& member, const PoolStatistics& pool, const ClusterStatistics& cluster,
            const MemberLoad& load) {
  std::string line = fmt::format(R"({{"member":{},"lease":{},"ready":{},"lent":{},"open":{},)",
                                 json_quoted(member), json_quoted(cluster.lease_id), pool.ready,
                                 pool.lent, pool.open());
  line +=
      fmt::format(R"("approved":{},"held":{},"in_use":{},"overhang":{},"is_lost":{},)",
                  pool.approved, cluster.held, cluster.in_use, cluster.overhang, cluster.is_lost);
  line +=
      fmt::format(R"("losses":{},"reaped":{},"known_processes":{},"permit_waits":{},)",
                  cluster.losses, cluster.reaped, cluster.known_processes, cluster.permit_waits);
  line += fmt::format(R"("lost_places":{},"lease_requests":{},"rate_requests":{},)",
                      cluster.lost_places, cluster.lease_requests, cluster.rate_requests);
  line +=
      fmt::format(R"("write_units":{},"opened":{},"failures":{},)", cluster.dynamodb.write_units,
                  pool.counters.opened, failures_json(pool.counters));
  line += fmt::format(R"("is_filled":{:d},"empty":{},{},)", pool.is_filled, pool.counters.empty,
                      load.figures_json());
  line += fmt::format(R"("last_error":{}}})", json_quoted(pool.last_connect_error));
  std::cout << line << std::endl;
}

std::unique_ptr<MemberLoad> start_load(postgres::PostgresPool& pool, const Settings& settings) {
  if (settings.accounts == 0)
    return std::make_unique<SessionLoad>(pool, settings.callers, settings.work);
  return std::make_unique<TransferLoad>(pool, settings.cluster.member, settings.callers,
                                        settings.accounts);
}

// True: it is time to end. False: a second has passed.
bool wait_for_end(const sigset_t& ends) {
  const timespec second{1, 0};
  for (;;) {
    if (sigtimedwait(&ends, nullptr, &second) > 0) return true;
    if (errno == EAGAIN) return false;
  }
}

int run(const Settings& settings, const sigset_t& ends) {
  Runtime runtime;
  Result<std::unique_ptr<Cluster>> cluster = Cluster::open(runtime, settings.cluster);
  if (!cluster) return std::cerr << cluster.error().text() << '\n', 2;
  aws::StaticCredentials credentials{aws::Credentials("local", "secret")};
  aws::DynamoDb client(runtime.env(), runtime.http(), credentials,
                       {settings.cluster.region, settings.cluster.dynamodb_url});
  OlderPermits permits(runtime.env(), client, settings.cluster);
  PoolSharing sharing = (*cluster)->sharing();
  if (settings.is_older) {
    sharing = {};
    sharing.permits = &permits;
  }
  bool is_gone = false;
  {
    Result<std::unique_ptr<postgres::PostgresPool>> pool =
        postgres::PostgresPool::open(runtime, settings.target, settings.pool, sharing);
    if (!pool) return std::cerr << pool.error().text() << '\n', 2;
    const std::unique_ptr<MemberLoad> load = start_load(**pool, settings);
    const auto tell = [&] {
      report(settings.cluster.member, (*pool)->statistics(), (*cluster)->statistics(), *load);
    };
    do {
      tell();
    } while (!wait_for_end(ends));
    load->end();
    tell();
    is_gone = (*pool)->close(30s);
  }
  const bool is_released = (*cluster)->close(10s);
  return is_gone && is_released ? 0 : 1;
}

}  // namespace
}  // namespace forebay::test

int main(int count, char** words) {
  // Before the first thread, so that only the main thread hears of them.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  forebay::test::Arguments arguments(count, words);
  const forebay::test::Settings settings = forebay::test::read(arguments);
  return forebay::test::run(settings, ends);
}
