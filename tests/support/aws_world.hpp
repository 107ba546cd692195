// A world in virtual time for code that asks AWS: scripted HTTP, a machine made of maps, a clock
// that starts at a known date.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "forebay/aws/aws_env.hpp"
#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "support/captured_log.hpp"
#include "support/fake_machine.hpp"
#include "support/scripted_http.hpp"

namespace forebay::test {

using namespace std::chrono_literals;

class AwsWorld : public testing::Test {
 protected:
  // 2026-01-01T00:00:00Z
  static constexpr WallTime kStart{std::chrono::seconds(1'767'225'600)};

  AwsWorld() { machine_.variables["HOME"] = "/home-of-test"; }

  Env env() { return Env{scheduler_, random_, wall_clock_}; }
  aws::AwsEnv aws() { return aws::AwsEnv{env(), http_, machine_}; }
  Instant in(Duration time) const { return scheduler_.now() + time; }

  template <class T>
  static Task<void> keep(Task<T> task, std::optional<T>& kept) {
    kept.emplace(co_await std::move(task));
  }
  // Lets time pass until the task has ended.
  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    start_detached(scheduler_, keep(std::move(task), result));
    while (!result && scheduler_.step()) {
    }
    return std::move(*result);
  }
  void run(Task<void> task) {
    start_detached(scheduler_, std::move(task));
    scheduler_.run();
  }

  const CapturedLog log_;
  sim::SimScheduler scheduler_;
  SeededRandom random_{1};
  sim::SimWallClock wall_clock_{scheduler_, kStart};
  ScriptedHttp http_{scheduler_};
  FakeMachine machine_;
};

inline std::string header_of(const HttpRequest& request, std::string_view name) {
  for (const HttpHeader& header : request.headers)
    if (header.name == name) return header.value;
  return "(none)";
}

}  // namespace forebay::test
