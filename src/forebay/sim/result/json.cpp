#include "forebay/sim/result/json.hpp"

#include <functional>

#include <fmt/format.h>

namespace forebay::sim {
namespace {

// Each made by the function.
template <class Items, class Object>
JsonList list(const Items& items, Object object) {
  JsonList list;
  for (const auto& item : items) list.add(object(item));
  return list;
}

JsonObject waits_json(const WaitPercentiles& waits) {
  JsonObject json;
  json.add("count", waits.count).add("p50", waits.p50).add("p90", waits.p90).add("p99", waits.p99);
  return json.add("p99_9", waits.p999).add("longest", waits.max);
}

JsonObject discards_json(const std::array<std::uint32_t, kDiscardReasons>& discards) {
  JsonObject json;
  for (std::size_t i = 0; i < kDiscardReasons; ++i)
    json.add(name(static_cast<DiscardReason>(i)), discards[i]);
  return json;
}

std::optional<JsonObject> clients_json(const std::optional<ClientFigures>& clients) {
  if (!clients) return std::nullopt;
  JsonObject json;
  json.add("clients", clients->clients).add("log_ins", clients->log_ins);
  json.add("units", clients->units).add("unserved", clients->unserved);
  json.add("cancelled", clients->cancelled).add("lost", clients->lost);
  return json.add("stays", clients->stays).add("pins", clients->pins);
}

JsonObject service_json(const ServiceResult& service) {
  const Sample end = service.samples.empty() ? Sample() : service.samples.back();
  JsonObject json;
  json.add("name", service.name).add("target", service.target);
  json.add("converged_after_seconds", service.converged_after);
  json.add("wait_seconds", waits_json(service.waits));
  json.add("ready", end.ready).add("lent", end.lent).add("up", end.is_up);
  json.add("end", name(service.end));
  json.add("acquired", end.acquired).add("empty_events", end.empty_events);
  json.add("timeouts", end.timeouts).add("opened", end.opened);
  json.add("open_failures", end.open_failures).add("permit_waits", end.permit_waits);
  json.add("work_started", end.work_started).add("work_completed", end.work_completed);
  json.add("work_failed", end.work_failed).add("clients", clients_json(service.clients));
  return json.add("discards", discards_json(end.discards));
}

JsonObject verdict_json(const Verdict& verdict) {
  JsonObject json;
  json.add("name", verdict.name).add("holds", verdict.holds).add("expected", verdict.expected);
  json.add("seen", verdict.seen).add("when_seconds", verdict.when);
  return json.add("processes", list(verdict.processes, std::identity()));
}

JsonObject fault_json(const FaultMark& fault) {
  JsonObject json;
  json.add("kind", fault.kind).add("text", fault.text).add("at_seconds", fault.at);
  return json.add("until_seconds", fault.until)
      .add("recovered_after_seconds", fault.recovered_after);
}

std::optional<JsonObject> promise_json(const std::optional<BrokenPromise>& broken) {
  if (!broken) return std::nullopt;
  JsonObject json;
  json.add("promise", broken->promise).add("what", broken->what);
  json.add("when_seconds", broken->when).add("event", broken->event);
  return json.add("process", broken->process).add("state", broken->state);
}

}  // namespace

JsonObject callers_object(const CallerTotals& callers) {
  JsonObject json;
  json.add("started", callers.started).add("completed", callers.completed);
  return json.add("failed", callers.failed).add("timeouts", callers.timeouts);
}

JsonObject result_object(const RunResult& result) {
  JsonObject json;
  json.add("scenario", result.scenario).add("description", result.description);
  json.add("seed", result.seed).add("trace_hash", fmt::format("{:016x}", result.trace_hash));
  json.add("events", result.events).add("duration_seconds", result.duration);
  json.add("sample_seconds", result.sample_every).add("holds", result.holds());
  json.add("connects_per_second", result.connects_per_second);
  json.add("connect_burst", result.connect_burst).add("max_connections", result.max_connections);
  json.add("most_sessions", result.most_sessions);
  json.add("most_connects_in_a_second", result.most_connects_in_a_second);
  json.add("conflicts", result.conflicts).add("callers", callers_object(result.callers()));
  json.add("clients", clients_json(result.clients()));
  json.add("wait_seconds", waits_json(result.waits));
  json.add("assertions", list(result.assertions, verdict_json));
  json.add("faults", list(result.faults, fault_json));
  json.add("broken_promise", promise_json(result.broken_promise));
  json.add("services", list(result.services, service_json));
  return json.add("replay", result.replay);
}

std::string result_json(const RunResult& result) { return result_object(result).text() + "\n"; }

}  // namespace forebay::sim
