// Results of runs that never were, for tests of what is shown of a run: half an hour of services
// that share a database, with faults. A rough model, but the numbers fit together: who opens is
// limited by the rate, who is cut opens again, and sums are sums.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "forebay/sim/result/result.hpp"

namespace forebay::sim {

inline constexpr int kSampleSeconds = 30 * 60;
inline constexpr int kSampleRate = 100;

class SampleWorld {
 public:
  explicit SampleWorld(int services) {
    static constexpr std::array<std::string_view, 4> kNames{"frontend", "history", "matching",
                                                            "worker"};
    for (int i = 0; i < services; ++i) {
      ServiceResult service;
      service.name = kNames[static_cast<std::size_t>(i) % 4];
      if (services > 4) service.name += "-" + std::to_string(i / 4 + 1);
      service.target = 30 + 10 * (i % 4);
      result_.services.push_back(service);
      now_.emplace_back();
    }
    result_.scenario = services > 4 ? "ecs-400wps" : "mass-drop";
    result_.replay = "forebay sim scenarios/" + result_.scenario + ".yaml --seed 42";
    result_.description =
        "Four kinds of services on one cluster. Half of all sessions are cut, connects slow down, "
        "a process dies and the coordination store is away for a while.";
    result_.seed = 42;
    result_.trace_hash = 0x0f3a91c25be870d4;
    result_.events = 1'250'000 * static_cast<std::uint64_t>(services);
    result_.sample_every = std::chrono::seconds(1);
    result_.connects_per_second = kSampleRate;
    result_.connect_burst = 1;
    result_.max_connections = services * 75;
  }

  RunResult run() {
    for (int second = 1; second <= kSampleSeconds; ++second) step(second);
    result_.duration = std::chrono::seconds(kSampleSeconds);
    add_faults();
    add_waits();
    add_verdicts();
    if (result_.services.size() > 4) drain_one();
    return result_;
  }

 private:
  static constexpr int kDrop = 480;
  static constexpr int kSlowFrom = 840, kSlowUntil = 960;
  static constexpr int kCrash = 1200, kReturn = 1260;
  static constexpr int kOutage = 1440, kOutageEnd = 1500;
  static constexpr int kDrained = 1700;

  // 0 to most - 1.
  int chance(int most) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(most));
  }

  static std::uint32_t& discards(Sample& now, DiscardReason reason) {
    return now.discards[static_cast<std::size_t>(reason)];
  }

  void discard(Sample& now, DiscardReason reason, int count) {
    discards(now, reason) += static_cast<std::uint32_t>(count);
    now.closing += count;
    closures_ += count;
  }

  void retire(Sample& now, int second) {
    const int due = (now.ready + chance(600)) / 600;
    for (int i = 0; i < std::min(due, now.ready); ++i) {
      using enum DiscardReason;
      const int kind = chance(100);
      discard(now,
              kind < 80   ? replaced
              : kind < 90 ? expiring_soon_on_scan
              : kind < 96 ? insufficient_remaining_lifetime
              : kind < 98 ? expired_on_return
                          : idle,
              1);
      --now.ready;
    }
    if (second == kDrop) {
      const int cut_ready = now.ready / 2;
      const int cut_lent = now.lent / 2;
      discard(now, DiscardReason::check_failed, cut_ready);
      discard(now, DiscardReason::broken, cut_lent);
      now.ready -= cut_ready;
      now.lent -= cut_lent;
    }
  }

  void serve(Sample& now, int second, int index) {
    const int wave = std::abs((second + 37 * index) % 600 - 300) / 30;  // 0 to 10 and back
    const int wanted = second < 20 ? 0 : 5 + wave + chance(8);
    const int work = 40 + 20 * (index % 4) + chance(30);
    const int taken = std::min(std::max(wanted - now.lent, 0), now.ready);
    const int back = std::max(now.lent - wanted, 0);
    now.waiters = std::max(wanted - now.lent - taken, 0);
    now.empty_events += static_cast<std::uint64_t>(now.waiters);
    now.timeouts += now.waiters > 12 ? 1 : 0;
    now.ready += now.cleaning - taken;
    now.lent += taken - back;
    now.cleaning = back;
    if (second >= 20) {
      now.acquired += static_cast<std::uint64_t>(work);
      now.work_started += static_cast<std::uint64_t>(work);
      now.work_failed = now.timeouts;
      now.work_completed = now.work_started - now.work_failed;
    }
    const int surplus = now.ready - now.target - 2;
    if (surplus > 0) {
      discard(now, DiscardReason::reservoir_full, surplus);
      now.ready -= surplus;
    }
  }

  void open(Sample& now, int second, int& permits) {
    const bool is_slow = second >= kSlowFrom && second < kSlowUntil;
    const int landed = is_slow ? std::min(now.opening, 1 + chance(3)) : now.opening;
    const int failed = landed > 0 && chance(200) == 0 ? 1 : 0;
    now.opening -= landed;
    now.ready += landed - failed;
    now.opened += static_cast<std::uint64_t>(landed - failed);
    now.open_failures += static_cast<std::uint64_t>(failed);
    if (second >= kOutage && second < kOutageEnd) return;
    const int deficit = std::max(now.target - now.ready - now.opening - now.cleaning, 0);
    const int room = 75 - now.ready - now.lent - now.cleaning - now.closing - now.opening;
    const int started = std::max(std::min({deficit, permits, 32 - now.opening, room}), 0);
    now.opening += started;
    permits -= started;
    connects_ += started;
    now.permit_waits += static_cast<std::uint64_t>(std::max(deficit - started, 0));
  }

  void crash(Sample& now) {
    discard(now, DiscardReason::closed, now.ready + now.lent + now.cleaning);
    now.ready = now.lent = now.opening = now.cleaning = now.waiters = now.closing = 0;
  }

  void step(int second) {
    const auto at = std::chrono::seconds(second);
    int permits = kSampleRate;
    connects_ = closures_ = 0;
    ClusterSample cluster;
    cluster.at = at;
    const std::size_t count = now_.size();
    for (std::size_t turn = 0; turn < count; ++turn) {
      // Everybody is first once in a while.
      const std::size_t i = (turn + static_cast<std::size_t>(second)) % count;
      Sample& now = now_[i];
      const bool is_down = i == 1 && second >= kCrash && second < kReturn;
      now.at = at;
      now.is_up = !is_down && second >= static_cast<int>(i % 4);
      now.target = now.is_up ? result_.services[i].target : 0;
      if (is_down && second == kCrash) crash(now);
      now.closing = 0;
      if (now.is_up) {
        retire(now, second);
        serve(now, second, static_cast<int>(i));
        open(now, second, permits);
      }
      const int open_now = now.ready + now.lent + now.cleaning + now.closing;
      now.leases = open_now + now.opening;
      cluster.sessions += open_now;
      cluster.leases += now.leases;
      note_convergence(i, now);
    }
    for (std::size_t i = 0; i < count; ++i) result_.services[i].samples.push_back(now_[i]);
    // The crashed process's leases end one lease lifetime later.
    if (second >= kCrash && second < kCrash + 180) {
      cluster.leases = std::min(cluster.leases + 55, *result_.max_connections);
    }
    cluster.connects = connects_;
    cluster.refused = second == kDrop + 1 ? 3 : 0;
    cluster.closures = closures_;
    cluster.lease_limit = *result_.max_connections;
    result_.most_sessions = std::max(result_.most_sessions, cluster.sessions);
    result_.most_connects_in_a_second =
        std::max(result_.most_connects_in_a_second, cluster.connects);
    result_.cluster.push_back(cluster);
  }

  void note_convergence(std::size_t i, const Sample& now) {
    std::optional<Duration>& after = result_.services[i].converged_after;
    if (!after && now.is_up && now.ready + now.lent >= now.target) after = now.at;
  }

  void add_faults() {
    const auto s = [](int count) { return std::chrono::seconds(count); };
    const int cut = *result_.max_connections * 2 / 5;
    const std::string everybody = std::to_string(result_.services.size()) + " processes";
    result_.faults = {
        {s(kDrop), s(kDrop), "mass_drop",
         "the server cut " + std::to_string(cut) + " sessions (50 %)",
         s(static_cast<int>(2 + result_.services.size() / 2))},
        {s(kSlowFrom), s(kSlowUntil), "slow_connect", everybody, s(4)},
        {s(kCrash), s(kReturn), "crash", result_.services[1].name, s(3)},
        {s(kOutage), s(kOutageEnd), "store_outage", everybody, std::nullopt},
    };
    result_.conflicts = 1234;
  }

  void add_waits() {
    std::uint64_t callers = 0;
    for (std::size_t i = 0; i < result_.services.size(); ++i) {
      const auto us = [&](int base) { return std::chrono::microseconds(base + chance(base)); };
      ServiceResult& service = result_.services[i];
      const Sample& end = service.samples.back();
      WaitPercentiles& waits = service.waits;
      waits.count = end.acquired + end.timeouts;
      waits.p50 = Duration(180 + chance(60));
      waits.p90 = Duration(400 + chance(300));
      waits.p99 = us(end.empty_events > 200 ? 9000 : 40);
      waits.p999 = us(45'000);
      waits.max = us(600'000);
      callers += waits.count;
    }
    result_.waits = result_.services[0].waits;
    result_.waits.count = callers;
    result_.waits.max = std::chrono::milliseconds(1200);
  }

  void add_verdicts() {
    const auto slow = std::chrono::seconds(23);
    const bool is_large = result_.services.size() > 4;
    const std::string most = std::to_string(result_.most_connects_in_a_second);
    const std::string sessions = std::to_string(result_.most_sessions);
    const std::string cap = std::to_string(*result_.max_connections);
    result_.assertions = {
        {"assertMaxConnectsPerSec", true, "at most 101 connects in any second",
         most + " in the busiest second", std::chrono::seconds(7)},
        {"assertConvergeWithin", !is_large, "every process at target within 20 s",
         is_large ? "worker-11 took 23.0 s" : "history was the last, after 3.00 s", slow},
        {"assertMaxConnections", true, "at most " + cap + " sessions",
         sessions + " at the busiest moment", std::chrono::seconds(1812 % kSampleSeconds)},
        {"assertMaxClosurePerSec", true, "at most 2000 closures in any second",
         "the most at once when sessions were cut", std::chrono::seconds(kDrop)},
        {"assertLeasesExactWithin", true, "leases = connections within 3 min of the last fault",
         "equal after 1.02 s", std::nullopt},
        {"assertAcquireWait", true, "p99 of waits at most 50 ms", "18.0 ms", std::nullopt},
    };
  }

  // The last but one leaves when its time has come, and nothing ever went wrong there; the last one
  // was slow.
  void drain_one() {
    ServiceResult& drained = result_.services[result_.services.size() - 2];
    drained.end = ProcessEnd::drained;
    for (Sample& sample : drained.samples) {
      sample.empty_events = sample.timeouts = sample.work_failed = 0;
      sample.work_completed = sample.work_started;
      if (sample.at >= std::chrono::seconds(kDrained)) sample.is_up = false;
    }
    result_.services.back().converged_after = std::chrono::seconds(23);
    result_.assertions[1].processes = {result_.services.back().name};
  }

  RunResult result_;
  std::vector<Sample> now_;  // of each service
  std::uint64_t state_ = 7;
  int connects_ = 0;
  int closures_ = 0;
};

// 4: all is well. 44: one assertion does not hold, and a process was drained as planned.
inline RunResult sample_result(int services) { return SampleWorld(services).run(); }

// A run that ended at once, with names that would be dangerous in a page that does not mind them.
inline RunResult broken_result() {
  RunResult result = sample_result(4);
  const auto end = std::chrono::milliseconds(754'250);
  const auto is_after = [&](const auto& sample) { return sample.at > end; };
  for (ServiceResult& service : result.services) {
    std::erase_if(service.samples, is_after);
  }
  std::erase_if(result.cluster, is_after);
  std::erase_if(result.faults, is_after);
  result.services[0].name = "</script><script>fail('name')</script>";
  result.services[1].name = "\"quotes\" & 'others', {{data}} ünïcode";
  result.description = "<img src=x onerror=fail('description')> --> ]]> </style>";
  result.replay = R"(forebay sim 'my scenarios/it'\''s <broken>.yaml' --seed 18446744073709551557)";
  result.duration = end;
  result.seed = 18'446'744'073'709'551'557ULL;
  result.assertions.pop_back();
  result.broken_promise = BrokenPromise{
      1,
      "Cap: the cluster held 301 sessions, and 300 are allowed",
      end,
      912'345,
      "matching",
      "matching: max 75, ready 41, lent 18, opening 6, cleaning 1, closing 0, leases 66\n"
      "store:    limit 300, counter 301, 4 holders\n"
      "last:     lease granted to matching after a lost reply"};
  return result;
}

}  // namespace forebay::sim
