// A scenario file by chance, in which all services are proxies: their pools, rules and limits, the
// server, the streams, the store, and what befalls them. In the first act anything may fail; then
// nothing fails any more, everything has its time to get well, and the clients leave.
#pragma once

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"
#include "forebay/env/random.hpp"
#include "forebay/sim/scenario/scenario.hpp"

namespace forebay::sim {

class RandomProxies {
 public:
  using seconds = std::chrono::seconds;
  using milliseconds = std::chrono::milliseconds;

  static constexpr Duration kHealing = seconds(10);  // after the first act

  explicit RandomProxies(std::uint64_t seed)
      : seed_(seed), random_(seed * 0x9e3779b97f4a7c15u + 1) {}

  std::string text() {
    replicas_ = one_in(3) ? 2 : 1;
    connections_ = 1 + below(4);
    rate_ = 20 + below(200);
    std::string text = fmt::format("seed: {}\nsampleEvery: 250ms\n", seed_);
    text += fmt::format("duration: {}\n", duration_text(kUnquiet + kHealing + seconds(14)));
    text += limits();
    text += database();
    text += streams();
    text += coordination();
    text += service();
    text += proxy();
    text += faults();
    return text + "assertConvergeWithin: off\n";
  }

 private:
  static constexpr Duration kUnquiet = seconds(6);

  int below(int bound) {
    return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound)));
  }
  bool one_in(int n) { return below(n) == 0; }
  std::string time(Duration least, Duration most) {
    const Duration drawn = random_.between(least, most);
    return duration_text(std::chrono::floor<std::chrono::microseconds>(drawn));
  }

  // A second of the clock may have a connect that the network brought too early.
  std::string limits() {
    const int burst = 1 + below(5);
    std::string text = fmt::format("limiterPerSec: {}\nlimiterBurst: {}\n", rate_, burst);
    text += fmt::format("assertMaxConnectsPerSec: {}\n", rate_ + burst + 1 + rate_ / 20);
    has_leases_ = one_in(2);
    const int most = replicas_ * connections_;
    if (has_leases_) text += fmt::format("maxConnections: {}\n", std::max(1, most - below(3)));
    return text;
  }

  std::string database() {
    const std::string connect = time(milliseconds(1), milliseconds(25));
    std::string text = fmt::format("database:\n  connectTime: {}\n", connect);
    text += fmt::format("  connectTimeSpread: {}\n  connectTimeSlowest: 0\n", connect);
    const std::string answer = time(milliseconds(0), milliseconds(10));
    text += fmt::format("  answerTime: {}\n  answerTimeSpread: {}\n", answer, answer);
    text += fmt::format("  missesClientAfter: {}\n", time(milliseconds(100), seconds(2)));
    if (one_in(8)) text += "  heedsCancels: false\n";
    return text;
  }

  std::string streams() {
    const bool is_slow = one_in(3);
    std::string text = fmt::format("streams:\n  delay: {}\n", is_slow ? "2500us" : "275us");
    text += fmt::format("  delaySpread: {}\n", is_slow ? "2450us" : "225us");
    if (one_in(3)) text += "  choppy: true\n";
    return text + fmt::format("  buffer: {}\n", one_in(3) ? 512 : 16'384);
  }

  std::string coordination() {
    std::string text = "coordination:\n  stagger: 300ms\n  requestTimeout: 1s\n";
    text += fmt::format("  leaseTtl: {}\n", time(seconds(3), seconds(8)));
    if (one_in(2)) text += fmt::format("  latency: {}\n", time(milliseconds(1), milliseconds(20)));
    if (one_in(4)) text += "  lostReplies: 0.02\n";
    if (one_in(4)) text += "  onAbsence: local\n";
    return text;
  }

  std::string service() {
    std::string text = fmt::format("services:\n  - name: proxy\n    replicas: {}\n", replicas_);
    text += fmt::format("    max: {}\n", connections_);
    if (one_in(2)) {
      text += fmt::format("    targetReady: {}\n", 1 + below(connections_));
    } else {
      text += fmt::format("    supply: standard\n    minIdle: {}\n", below(2));
    }
    if (one_in(3)) text += "    takeOrder: oldest\n";
    const bool is_short = one_in(2);
    const Duration life = is_short ? random_.between(seconds(2), seconds(8)) : seconds(90);
    text += fmt::format("    baseLifetime: {}\n", text_of(life));
    text +=
        fmt::format("    jitter: {}\n    guardWindow: {}\n", text_of(life / 4), text_of(life / 8));
    if (one_in(2))
      text += fmt::format("    idleTimeout: {}\n", time(milliseconds(500), seconds(5)));
    if (one_in(2))
      text += fmt::format("    checkAfterIdle: {}\n", time(milliseconds(200), seconds(3)));
    return text;
  }
  static std::string text_of(Duration time) {
    return duration_text(std::chrono::floor<std::chrono::microseconds>(time));
  }

  std::string proxy() {
    std::string text = "    proxy:\n      work: anything\n";
    text += fmt::format("      clients: {}\n", 1 + below(7));
    text += fmt::format("      until: {}\n", duration_text(kUnquiet + kHealing + seconds(3)));
    if (one_in(5)) text += "      pooling: session\n";
    if (one_in(5)) {
      text += "      onSessionState: allow\n";
    } else if (one_in(8)) {
      text += "      onSessionState: refuse\n";
    }
    if (one_in(2)) text += fmt::format("      mostStatements: {}\n", 1 + below(4));
    text += fmt::format("      queryWait: {}\n", time(milliseconds(200), seconds(3)));
    if (one_in(4))
      text += fmt::format("      queryLimit: {}\n", time(milliseconds(300), seconds(2)));
    if (one_in(4))
      text += fmt::format("      idleLimit: {}\n", time(milliseconds(300), seconds(1)));
    if (one_in(3)) text += fmt::format("      readLimit: {}\n", time(seconds(1), seconds(3)));
    if (!one_in(3)) text += "      cancels: 0.5\n";
    if (one_in(2)) text += fmt::format("      hangUps: {}\n", (1 + below(40)) / 1000.0);
    return text;
  }

  // In a third of the worlds there is nothing that ends sessions: whoever loses one there has lost
  // it for nothing.
  std::string faults() {
    std::string text;
    const auto add = [&](int most, const std::string& kind) {
      const int count = one_in(2) ? below(most + 1) : 0;
      for (int i = 0; i < count; ++i) text += fault(kind);
    };
    add(3, "server_stall");
    add(1, "store_outage");
    if (!one_in(3)) {
      add(4, "mass_drop");
      add(2, "server_restart");
      add(4, "broken_streams");
      add(2, "crash");
      add(1, "freeze");
      if (one_in(6)) text += fault("deploy");
    }
    return text.empty() ? "" : "faults:\n" + text;
  }
  std::string fault(const std::string& kind) {
    std::string text =
        fmt::format("  - {{kind: {}, at: {}", kind, time(milliseconds(500), seconds(4)));
    if (kind == "mass_drop" || kind == "broken_streams") {
      text += fmt::format(", fraction: {}", (1 + below(10)) / 10.0);
    } else if (kind == "deploy") {
      text += ", overlap: 1s";
    } else {
      text += fmt::format(", length: {}", time(milliseconds(10), seconds(2)));
    }
    const bool is_about_one = replicas_ > 1 && (kind == "crash" || kind == "freeze") && one_in(2);
    return text + (is_about_one ? ", services: [proxy-2]" : "") + "}\n";
  }

  const std::uint64_t seed_;
  SeededRandom random_;
  int replicas_ = 1;
  int connections_ = 1;
  int rate_ = 0;
  bool has_leases_ = false;
};

}  // namespace forebay::sim
