// A scenario file by chance: services, options, limits and faults of all kinds. First a safety act,
// in which anything may fail and nothing may go wrong; then nothing fails any more, and everything
// must get well: a liveness act.
#pragma once

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"
#include "forebay/env/random.hpp"
#include "forebay/sim/scenario/scenario_file.hpp"
#include "forebay/sim/scenario/service_pool.hpp"

namespace forebay::sim {

class RandomScenario {
 public:
  explicit RandomScenario(std::uint64_t seed) : seed_(seed), random_(seed) {}

  std::string text() {
    std::string text = fmt::format("seed: {}\n", seed_) + coordination();
    const std::string services = draw_services();
    text += draw_database(
        services);  // one by one: what is drawn first must not be the compiler's choice
    text += draw_faults();
    text += fmt::format("duration: {}\n", duration_text(kUnquiet + quiet()));
    return text + services_text(services) + expectations(text + services_text(services));
  }

 private:
  using seconds = std::chrono::seconds;
  using milliseconds = std::chrono::milliseconds;

  static constexpr Duration kUnquiet = seconds(150);

  int below(int bound) {
    return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound)));
  }
  bool one_in(int n) { return below(n) == 0; }
  double fraction(int most_percent) { return (1 + below(most_percent * 10)) / 1000.0; }
  Duration draw(Duration least, Duration most) {
    return std::chrono::floor<milliseconds>(random_.between(least, most));
  }
  std::string time(Duration least, Duration most) { return duration_text(draw(least, most)); }
  // After the last fault: every lease of a process that is gone has been reaped, and more.
  Duration quiet() const { return 2 * lease_ttl_ + seconds(60); }

  static std::string services_text(const std::string& services) { return "services:\n" + services; }

  std::string draw_services() {
    std::string text;
    services_ = 1 + below(4);
    for (int i = 0; i < services_; ++i) {
      const Duration lifetime = draw(seconds(30), seconds(300));
      const bool is_standard = one_in(4);
      text +=
          fmt::format("  - name: {}\n    replicas: {}\n", static_cast<char>('a' + i), 1 + below(3));
      text += fmt::format("    stagger: {}\n", time(Duration::zero(), milliseconds(500)));
      text += fmt::format("    startDelay: {}\n", time(Duration::zero(), seconds(2)));
      text += fmt::format("    baseLifetime: {}\n", duration_text(lifetime));
      text += fmt::format("    jitter: {}\n", time(Duration::zero(), lifetime / 2));
      text += fmt::format("    guardWindow: {}\n", time(Duration::zero(), lifetime / 4));
      text += fmt::format("    takeOrder: {}\n", one_in(4) ? "oldest" : "newest");
      text += fmt::format("    checkAfterIdle: {}\n", time(seconds(2), seconds(20)));
      text += fmt::format("    idleTimeout: {}\n", time(seconds(10), seconds(120)));
      text += fmt::format("    maxOpening: {}\n", 1 + below(32));
      text += fmt::format("    loops: {}\n", 1 + below(4));
      if (is_standard) {
        text += fmt::format("    supply: standard\n    minIdle: {}\n", below(5));
        text += fmt::format("    keepOpen: {}\n", below(5));
      } else {
        text += fmt::format("    targetReady: {}\n", 1 + below(20));
      }
      if (!one_in(4)) text += draw_workload(static_cast<char>('a' + i), is_standard);
    }
    return text;
  }

  std::string draw_workload(char service, bool is_standard) {
    std::string text = "    workload:\n      enabled: true\n";
    if (one_in(3)) {
      text += fmt::format("      arrivalsPerSecond: {}\n", 1 + below(15));
    } else {
      text += fmt::format("      maxInUse: {}\n", 1 + below(10));
      text += fmt::format("      spawnEvery: {}\n", time(milliseconds(50), milliseconds(500)));
      text += fmt::format("      arrivalBurst: {}\n", 1 + below(10));
    }
    text += fmt::format("      holdTime: {}\n", time(milliseconds(1), milliseconds(100)));
    text += fmt::format("      holdJitter: {}\n", time(Duration::zero(), milliseconds(100)));
    text += fmt::format("      maxWait: {}\n", time(milliseconds(50), seconds(5)));
    if (one_in(4)) text += fmt::format("      discardFraction: {}\n", fraction(10));
    if (one_in(3)) {
      text += fmt::format("      slowFraction: {}\n", fraction(10));
      text += fmt::format("      slowTime: {}\n", time(seconds(1), seconds(60)));
      text += fmt::format("      statementTimeout: {}\n", time(milliseconds(100), seconds(2)));
    }
    if (is_standard && one_in(2)) {
      text += fmt::format("    tenants: {{count: {}, ", 1 + below(60));
      text += fmt::format("maxConnections: {}, ", 20 + below(20));
      text += fmt::format("perTenant: {}, ", 5 + below(5));
      text += fmt::format("skew: {}, ", 0.5 * below(5));
      text += fmt::format("stint: {}}}\n", time(milliseconds(5), milliseconds(200)));
      with_tenants_ += service;
    }
    return text;
  }

  std::string draw_database(const std::string& services) {
    const double rate = 20.5 + below(200);
    std::string text = fmt::format("limiterPerSec: {}\n", rate);
    const bool has_burst = one_in(2);
    const int least = is_window_ ? static_cast<int>(2 * rate) : 1;
    if (has_burst || is_window_) text += fmt::format("limiterBurst: {}\n", least + below(200));
    if (one_in(2)) {
      const int wanted = sum_of_max(read_scenario(services_text(services), "").scenario);
      text += fmt::format("maxConnections: {}\n", std::max(1, wanted * (60 + below(180)) / 100));
    }
    text += "database:\n";
    text += fmt::format("  connectTime: {}\n", time(milliseconds(1), milliseconds(80)));
    if (one_in(3)) text += fmt::format("  connectFailures: {}\n", fraction(10));
    if (one_in(3)) text += fmt::format("  conflicts: {}\n", fraction(10));
    if (one_in(2))
      text += fmt::format("  missesClientAfter: {}\n", time(milliseconds(100), seconds(3)));
    if (one_in(3)) text += "  heedsCancels: false\n";
    return text;
  }

  std::string coordination() {
    lease_ttl_ = draw(seconds(40), seconds(90));
    std::string text = fmt::format("coordination:\n  leaseTtl: {}\n", duration_text(lease_ttl_));
    if (!one_in(4))
      text += fmt::format("  latency: {}\n", time(Duration::zero(), milliseconds(50)));
    if (one_in(2)) text += fmt::format("  lostReplies: {}\n", fraction(5));
    if (one_in(2)) text += fmt::format("  throttled: {}\n", fraction(5));
    // A sixth of the shortest ttl is longer than twice the longest hold.
    const bool is_fencing = one_in(2);
    text += fmt::format("  onLeaseLoss: {}\n", is_fencing ? "fence" : "keep");
    if (is_fencing && one_in(2))
      text += fmt::format("  fenceBefore: {}\n", time(lease_ttl_ / 6, lease_ttl_ / 2));
    if (one_in(3)) text += fmt::format("  stagger: {}\n", time(Duration::zero(), seconds(10)));
    if (one_in(4)) text += "  onAbsence: local\n";
    if (one_in(4)) text += "  store: dynamodb\n";
    is_window_ = one_in(5);
    if (is_window_) text += "  rateMode: window\n";
    return text;
  }

  std::string draw_faults() {
    std::string text;
    const int faults = below(5);
    for (int i = 0; i < faults; ++i) text += "  - {" + draw_fault() + "}\n";
    return text.empty() ? "" : "faults:\n" + text;
  }

  std::string draw_fault() {
    auto kind = static_cast<FaultKind>(1 + below(static_cast<int>(kFaultKinds) - 1));
    // A rolling restart goes on to the end, and would leave no time to get well.
    if (kind == FaultKind::rolling_restart) kind = FaultKind::crash;
    if (kind == FaultKind::tenant_storm && with_tenants_.empty()) kind = FaultKind::slow_connect;
    if (kind == FaultKind::broken_streams) kind = FaultKind::mass_drop;  // there are no proxies
    std::string text = fmt::format("kind: {}, at: {}", name(kind), time(seconds(20), seconds(90)));
    const std::string length = fmt::format(", length: {}", time(seconds(1), seconds(60)));
    const bool is_about_one = one_in(2);
    const std::string services =
        is_about_one ? fmt::format(", services: [{}]", static_cast<char>('a' + below(services_)))
                     : "";
    switch (kind) {
      case FaultKind::cold_start:
      case FaultKind::rolling_restart: return text;
      case FaultKind::mass_drop: return text + fmt::format(", fraction: {}", fraction(100));
      case FaultKind::crash: return text + length + services;
      case FaultKind::freeze: return text + length + services;
      case FaultKind::store_outage:
      case FaultKind::server_restart:
      case FaultKind::server_stall:
      case FaultKind::broken_streams: return text + length;
      case FaultKind::partition: {
        const int cut = below(3);
        return text + length + services +
               (cut == 0   ? ", cuts: store"
                : cut == 1 ? ", cuts: database"
                           : ", cuts: both");
      }
      case FaultKind::clock_skew: {
        const Duration skew = draw(milliseconds(1), seconds(5));
        return text + length + services + (one_in(2) ? ", skew: -" : ", skew: ") +
               duration_text(skew);
      }
      case FaultKind::slow_connect:
        return text + length + fmt::format(", factor: {}", 2 + below(20));
      case FaultKind::connect_errors:
        return text + length + fmt::format(", fraction: {}", fraction(100));
      case FaultKind::deploy:
        return text + services + fmt::format(", overlap: {}", time(seconds(1), seconds(60)));
      case FaultKind::tenant_storm:
        return text + length +
               fmt::format(", services: [{}], factor: {}", with_tenants_.front(), 2 + below(10));
    }
    return text;
  }

  static int sum_of_max(const Scenario& scenario) {
    int sum = 0;
    for (const ServiceSpec& service : scenario.services)
      sum += service.replicas * *pool_options(service, scenario.database).size.max;
    return sum;
  }

  // What can be expected of such a world: everything is well some time after the last fault.
  std::string expectations(const std::string& text) const {
    const Scenario scenario = read_scenario(text, "").scenario;
    std::string expected = "assertConvergeWithin: off\n";
    // Without the store each process keeps to its share of the rate, but not to one beat; and who
    // stood still makes connects that are a quarter of a second late.
    const bool has_freeze = has_fault(scenario, FaultKind::freeze);
    if (scenario.coordination.on_absence == StoreAbsence::local || has_freeze) {
      const double rate = scenario.database.connects_per_second;
      expected += fmt::format("assertMaxConnectsPerSec: {}\n",
                              static_cast<int>(has_freeze ? rate * 5 / 4 : rate) + 1 +
                                  scenario.database.connect_burst +
                                  static_cast<int>(processes(scenario).size()));
    }
    if (scenario.database.max_connections) {
      expected += fmt::format("assertLeasesExactWithin: {}\n",
                              duration_text(lease_ttl_ + lease_ttl_ / 2 + seconds(60)));
    }
    if (!scenario.faults.empty() && can_be_at_target(scenario))
      expected += fmt::format("assertRecoverWithin: {}\n", duration_text(quiet()));
    return expected;
  }

  static bool has_fault(const Scenario& scenario, FaultKind kind) {
    return std::ranges::any_of(scenario.faults,
                               [&](const FaultSpec& fault) { return fault.kind == kind; });
  }

  static bool can_be_at_target(const Scenario& scenario) {
    const DatabaseSpec& database = scenario.database;
    double needed = 0;  // connects a second, in the long run
    for (const ServiceSpec& service : scenario.services) {
      const Duration shortest = service.base_lifetime - service.jitter / 2 - service.guard_window;
      const int max = *pool_options(service, database).size.max;
      needed += service.replicas * max / std::chrono::duration<double>(shortest).count();
      // A statement that is given up costs a cancel, or the connection.
      const bool loses_some = service.workload.slow_fraction > 0;
      if (service.workload.discard_fraction > 0 || loses_some)
        needed += database.connects_per_second;
    }
    const bool has_deploy = has_fault(scenario, FaultKind::deploy);
    const int most = sum_of_max(scenario) * (has_deploy ? 2 : 1);
    return needed * 4 < database.connects_per_second && database.connect_failures == 0 &&
           (!database.max_connections || *database.max_connections >= most);
  }

  const std::uint64_t seed_;
  SeededRandom random_;
  int services_ = 0;
  std::string with_tenants_;  // names of one letter each
  Duration lease_ttl_{};
  bool is_window_ = false;
};

}  // namespace forebay::sim
