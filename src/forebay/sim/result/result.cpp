#include "forebay/sim/result/result.hpp"

namespace forebay::sim {

std::string_view name(ProcessEnd end) {
  static constexpr std::array<std::string_view, 4> kNames{"up", "down", "drained", "not_started"};
  return kNames.at(static_cast<std::size_t>(end));
}

CallerTotals& CallerTotals::operator+=(const CallerTotals& more) {
  started += more.started;
  completed += more.completed;
  failed += more.failed;
  timeouts += more.timeouts;
  return *this;
}

ClientFigures& ClientFigures::operator+=(const ClientFigures& more) {
  clients += more.clients;
  log_ins += more.log_ins;
  units += more.units;
  unserved += more.unserved;
  cancelled += more.cancelled;
  lost += more.lost;
  stays += more.stays;
  pins += more.pins;
  return *this;
}

std::optional<ClientFigures> RunResult::clients() const {
  std::optional<ClientFigures> totals;
  for (const ServiceResult& service : services) {
    if (!service.clients) continue;
    if (!totals) totals.emplace();
    *totals += *service.clients;
  }
  return totals;
}

CallerTotals RunResult::callers() const {
  CallerTotals totals;
  for (const ServiceResult& service : services) {
    if (service.samples.empty()) continue;
    const Sample& end = service.samples.back();
    totals += {end.work_started, end.work_completed, end.work_failed, end.timeouts};
  }
  return totals;
}

}  // namespace forebay::sim
