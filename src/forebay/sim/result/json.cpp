#include "forebay/sim/result/json.hpp"

#include <cmath>

#include <fmt/format.h>

#include "forebay/base/json_text.hpp"

namespace forebay::sim {
namespace {

// Exact: nanoseconds, without the zeros at the end.
std::string seconds(Duration time) {
  const char* const sign = time < Duration::zero() ? "-" : "";
  const auto whole = std::chrono::abs(time).count() / 1'000'000'000;
  const auto rest = std::chrono::abs(time).count() % 1'000'000'000;
  if (rest == 0) return fmt::format("{}{}", sign, whole);
  std::string text = fmt::format("{}{}.{:09}", sign, whole, rest);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string seconds(const std::optional<Duration>& time) { return time ? seconds(*time) : "null"; }

// JSON has no infinity: a database that sets no limit has null.
std::string number(double value) { return std::isfinite(value) ? fmt::to_string(value) : "null"; }

const char* boolean(bool value) { return value ? "true" : "false"; }

// [a,b,c], each made by the function.
template <class Items, class Text>
std::string list(const Items& items, Text text) {
  std::string result = "[";
  for (const auto& item : items) result += (result.size() > 1 ? "," : "") + text(item);
  return result + "]";
}

std::string waits_json(const WaitPercentiles& waits) {
  return fmt::format(R"({{"count":{},"p50":{},"p90":{},"p99":{},"p99_9":{},"longest":{}}})",
                     waits.count, seconds(waits.p50), seconds(waits.p90), seconds(waits.p99),
                     seconds(waits.p999), seconds(waits.max));
}

std::string discards_json(const std::array<std::uint32_t, kDiscardReasons>& discards) {
  std::string items;
  for (std::size_t i = 0; i < kDiscardReasons; ++i) {
    items += fmt::format(R"({}"{}":{})", i > 0 ? "," : "", name(static_cast<DiscardReason>(i)),
                         discards[i]);
  }
  return "{" + items + "}";
}

std::string counters_json(const Sample& end) {
  return fmt::format(
      R"("acquired":{},"empty_events":{},"timeouts":{},"opened":{},"open_failures":{},)"
      R"("permit_waits":{},"work_started":{},"work_completed":{},"discards":{})",
      end.acquired, end.empty_events, end.timeouts, end.opened, end.open_failures, end.permit_waits,
      end.work_started, end.work_completed, discards_json(end.discards));
}

std::string service_json(const ServiceResult& service) {
  const Sample end = service.samples.empty() ? Sample() : service.samples.back();
  return fmt::format(R"({{"name":{},"target":{},"converged_after_seconds":{},"wait_seconds":{},)"
                     R"("ready":{},"lent":{},"up":{},{}}})",
                     json_quoted(service.name), service.target, seconds(service.converged_after),
                     waits_json(service.waits), end.ready, end.lent, boolean(end.is_up),
                     counters_json(end));
}

std::string verdict_json(const Verdict& verdict) {
  return fmt::format(R"({{"name":{},"holds":{},"expected":{},"seen":{},"when_seconds":{}}})",
                     json_quoted(verdict.name), boolean(verdict.holds),
                     json_quoted(verdict.expected), json_quoted(verdict.seen),
                     seconds(verdict.when));
}

std::string fault_json(const FaultMark& fault) {
  return fmt::format(
      R"({{"kind":{},"text":{},"at_seconds":{},"until_seconds":{},"recovered_after_seconds":{}}})",
      json_quoted(fault.kind), json_quoted(fault.text), seconds(fault.at), seconds(fault.until),
      seconds(fault.recovered_after));
}

std::string promise_json(const std::optional<BrokenPromise>& broken) {
  if (!broken) return "null";
  return fmt::format(
      R"({{"promise":{},"what":{},"when_seconds":{},"event":{},"process":{},"state":{}}})",
      broken->promise, json_quoted(broken->what), seconds(broken->when), broken->event,
      json_quoted(broken->process), json_quoted(broken->state));
}

}  // namespace

std::string result_json(const RunResult& result) {
  std::string text =
      fmt::format(R"("scenario":{},"description":{},"seed":{},"trace_hash":"{:016x}","events":{},)",
                  json_quoted(result.scenario), json_quoted(result.description), result.seed,
                  result.trace_hash, result.events);
  text +=
      fmt::format(R"("duration_seconds":{},"sample_seconds":{},"holds":{},)",
                  seconds(result.duration), seconds(result.sample_every), boolean(result.holds()));
  text += fmt::format(R"("connects_per_second":{},"connect_burst":{},"max_connections":{},)",
                      number(result.connects_per_second), result.connect_burst,
                      result.max_connections ? fmt::to_string(*result.max_connections) : "null");
  text += fmt::format(R"("most_sessions":{},"most_connects_in_a_second":{},"conflicts":{},)",
                      result.most_sessions, result.most_connects_in_a_second, result.conflicts);
  text += fmt::format(R"("wait_seconds":{},"assertions":{},"faults":{},"broken_promise":{},)",
                      waits_json(result.waits), list(result.assertions, verdict_json),
                      list(result.faults, fault_json), promise_json(result.broken_promise));
  text += fmt::format(R"("services":{},"replay":{})", list(result.services, service_json),
                      json_quoted(result.replay));
  return "{" + text + "}\n";
}

}  // namespace forebay::sim
