#include "forebay/sim/scenario/service_checks.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "forebay/base/suggestion.hpp"
#include "forebay/core/expiry.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/sim/scenario/scenario_limits.hpp"
#include "forebay/sim/scenario/service_pool.hpp"
#include "forebay/yaml/field.hpp"

namespace forebay::sim {
namespace {

using yaml::FileProblems;

constexpr std::size_t kLongestName = 64;

class ServiceChecks {
 public:
  ServiceChecks(const ServiceSpec& service, std::string path, FileProblems& problems)
      : service_(service), path_(std::move(path)), problems_(problems) {}

  void name();
  void start(Duration end_of_run);
  void supply();
  void sizes();
  void life(const DatabaseSpec& database);
  void callers(Duration end_of_run);
  void proxy();

 private:
  std::string at(std::string_view key) const { return fmt::format("{}.{}", path_, key); }
  void tenant_sizes(int max);
  void no_more_than_max(std::string_view key, int value, int max);
  // Refuses those of the keys that are given.
  void mean_nothing(std::initializer_list<std::string_view> keys, std::string_view reason);

  const ServiceSpec& service_;
  const std::string path_;
  FileProblems& problems_;
};

void ServiceChecks::name() {
  if (!problems_.is_given(at("name"))) {
    problems_.require(problems_.is_refused(path_), path_, {at("name")},
                      "name is missing; give every service one, like name: history");
    return;
  }
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  const std::string& name = service_.name;
  const bool is_name =
      !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, is_allowed);
  problems_.require(is_name, at("name"), {},
                    fmt::format("{} is not a name; use letters, digits, - _ and ., at most {}",
                                shown(name), kLongestName));
}

void ServiceChecks::start(Duration end_of_run) {
  problems_.require(service_.start_delay < end_of_run, at("startDelay"), {"duration"},
                    fmt::format("{} is not before the end of the run, {}",
                                duration_text(service_.start_delay), duration_text(end_of_run)));
  if (service_.replicas < 2 || service_.start_delay >= end_of_run) return;
  const Duration longest =
      (end_of_run - service_.start_delay - Duration(1)) / (service_.replicas - 1);
  problems_.require(
      service_.stagger <= longest, at("stagger"), {"duration", at("startDelay"), at("replicas")},
      fmt::format("{} between {} replicas starts the last one after the end of the run, {}",
                  duration_text(service_.stagger), service_.replicas, duration_text(end_of_run)));
}

void ServiceChecks::mean_nothing(std::initializer_list<std::string_view> keys,
                                 std::string_view reason) {
  for (const std::string_view key : keys) {
    problems_.require(!problems_.is_given(at(key)), at(key), {},
                      fmt::format("means nothing {}; leave it out", reason));
  }
}

// A setting that would silently do nothing is a mistake.
void ServiceChecks::supply() {
  if (problems_.is_refused(at("supply"))) return;
  if (service_.supply == Supply::reservoir) {
    mean_nothing({"minIdle", "keepOpen"}, "to a reservoir, which keeps targetReady ready");
  } else {
    mean_nothing({"targetReady", "lowWatermark"},
                 "to supply: standard, which has minIdle and keepOpen");
  }
  if (!problems_.is_given(at("tenants")) || problems_.is_refused(at("tenants"))) return;
  problems_.require(problems_.is_given(at("tenants.count")), at("tenants"), {},
                    "count is missing; it says how many tenants there are, like count: 80");
  mean_nothing({"max"}, "beside tenants, which have maxConnections");
}

void ServiceChecks::no_more_than_max(std::string_view key, int value, int max) {
  problems_.require(value <= max, at(key), {at("max"), at("targetReady"), at("workload.maxInUse")},
                    fmt::format("{} is more than max, {}", value, max));
}

void ServiceChecks::sizes() {
  // The default of max is large enough by itself, but for what is as large as can be.
  const int max = *pool_options(service_, DatabaseSpec()).size.max;
  problems_.require(
      max <= kMostConnections, path_,
      {at("targetReady"), at("workload.maxInUse"), at("workload.arrivalsPerSecond"),
       at("workload.holdTime"), at("workload.holdJitter"), at("minIdle"), at("keepOpen")},
      fmt::format("would have up to {} connections, at most {} are possible; give "
                  "max, or make targetReady or the workload smaller",
                  max, kMostConnections));
  if (service_.tenants.count > 0) {
    tenant_sizes(max);
  } else if (service_.supply == Supply::reservoir) {
    no_more_than_max("targetReady", service_.target_ready, max);
    const int watermark = service_.low_watermark.value_or(0);
    problems_.require(
        watermark <= service_.target_ready, at("lowWatermark"), {at("targetReady")},
        fmt::format("{} is more than targetReady, {}", watermark, service_.target_ready));
  } else {
    no_more_than_max("minIdle", service_.min_idle, max);
    no_more_than_max("keepOpen", service_.keep_open, max);
  }
}

// Each tenant has a pool of perTenant connections.
void ServiceChecks::tenant_sizes(int max) {
  const int cap = service_.tenants.per_tenant;
  problems_.require(
      cap <= max, at("tenants.perTenant"), {at("tenants.maxConnections")},
      fmt::format("{} is more than the {} that tenants have of maxConnections together", cap, max));
  const auto no_more_than_cap = [&](std::string_view key, int value) {
    problems_.require(value <= cap, at(key), {at("tenants.perTenant")},
                      fmt::format("{} is more than tenants.perTenant, {}", value, cap));
  };
  if (service_.supply == Supply::reservoir) {
    no_more_than_cap("targetReady", service_.target_ready);
  } else {
    no_more_than_cap("minIdle", service_.min_idle);
    no_more_than_cap("keepOpen", service_.keep_open);
  }
}

void ServiceChecks::life(const DatabaseSpec& database) {
  const Duration guard = service_.guard_window;
  const Duration lifetime = service_.base_lifetime;
  if (guard >= lifetime) {
    problems_.require(false, at("guardWindow"), {at("baseLifetime")},
                      fmt::format("{} is not shorter than baseLifetime, {}: no connection would "
                                  "ever be handed out",
                                  duration_text(guard), duration_text(lifetime)));
    return;
  }
  // Lives are spread over baseLifetime, half the jitter to either side.
  problems_.require(
      guard < lifetime - service_.jitter / 2, at("jitter"), {at("guardWindow"), at("baseLifetime")},
      fmt::format("{} makes lives as short as {}, which is not longer than guardWindow, {}; it "
                  "must be less than {}",
                  duration_text(service_.jitter), duration_text(lifetime - service_.jitter / 2),
                  duration_text(guard), duration_text((lifetime - guard) * 2)));
  const PoolOptions options = pool_options(service_, database);
  ExpiryRule rule;
  rule.server_limit = options.server_limit;
  rule.longest_transaction = options.longest_transaction;
  const Duration cap = lifetime_cap(rule);
  problems_.require(
      guard < cap, at("guardWindow"), {at("baseLifetime"), "database.cutAfter"},
      fmt::format("{} is not shorter than the longest life, {}, which the database "
                  "allows by database.cutAfter, {}",
                  duration_text(guard), duration_text(cap), duration_text(database.cut_after)));
}

void ServiceChecks::callers(Duration end_of_run) {
  const WorkloadSpec& workload = service_.workload;
  const std::string place = at("workload");
  if (!problems_.is_given(place) || problems_.is_refused(place)) return;
  problems_.require(problems_.is_given(place + ".enabled"), place, {},
                    "enabled is missing; write enabled: true to have these callers, or false");
  if (!workload.is_enabled) return;
  if (workload.arrivals_per_second > 0) {
    mean_nothing({"workload.maxInUse", "workload.spawnEvery", "workload.arrivalBurst"},
                 "beside arrivalsPerSecond");
  } else {
    problems_.require(
        workload.max_in_use > 0, place, {place + ".maxInUse", place + ".arrivalsPerSecond"},
        "has no callers; give maxInUse or arrivalsPerSecond, or write enabled: false");
  }
  if (workload.slow_fraction == 0)
    mean_nothing({"workload.slowTime", "workload.statementTimeout"}, "without slowFraction");
  problems_.require(service_.start_delay + workload.start_after < end_of_run, place + ".startAfter",
                    {"duration", at("startDelay")},
                    fmt::format("{} after the service's start is not before the end of the run, {}",
                                duration_text(workload.start_after), duration_text(end_of_run)));
  const std::chrono::duration<double> seconds = end_of_run;
  const double rounds = workload.arrivals_per_second > 0
                            ? workload.arrivals_per_second * seconds.count()
                            : static_cast<double>(end_of_run / workload.spawn_every);
  problems_.require(
      rounds * service_.replicas <= kMostArrivals, place,
      {"duration", place + ".arrivalsPerSecond", place + ".spawnEvery", at("replicas")},
      fmt::format("callers would come {:.0f} times, at most {:.0f} are possible; let fewer come, "
                  "or for a shorter duration",
                  rounds * service_.replicas, kMostArrivals));
}

// Beside its clients nobody uses a proxy's pool, and it has one loop.
void ServiceChecks::proxy() {
  if (!problems_.is_given(at("proxy")) || problems_.is_refused(at("proxy"))) return;
  problems_.require(problems_.is_given(at("proxy.clients")), at("proxy"), {},
                    "clients is missing; it says how many clients each process has, like "
                    "clients: 20");
  problems_.require(problems_.is_given(at("max")), path_, {at("max")},
                    "max is missing; a proxy needs it, like max: 10");
  mean_nothing({"workload", "tenants", "loops"}, "to a proxy, which has clients on one loop");
  if (service_.proxy.work == ClientWork::anything) {
    mean_nothing({"proxy.statements", "proxy.statementTime", "proxy.thinkTime", "proxy.stay"},
                 "to work: anything, where each client has its own");
  } else {
    mean_nothing({"proxy.cancels"}, "to work: transactions, which nobody cancels");
  }
}

}  // namespace

void check_service(const Scenario& scenario, const ServiceSpec& service, const std::string& path,
                   FileProblems& problems) {
  ServiceChecks checks(service, path, problems);
  checks.name();
  checks.start(scenario.duration);
  checks.supply();
  checks.sizes();
  checks.life(scenario.database);
  checks.callers(scenario.duration);
  checks.proxy();
  // What follows cannot happen unless a rule of the pool is not among those above.
  if (problems.is_refused_within(path) || problems.is_refused("database.cutAfter")) return;
  const OptionProblems wrong = service.tenants.count > 0
                                   ? forebay::problems(tenant_options(service, scenario.database))
                                   : forebay::problems(pool_options(service, scenario.database));
  for (const OptionProblem& problem : wrong) problems.add(path, sentence(problem));
}

}  // namespace forebay::sim
