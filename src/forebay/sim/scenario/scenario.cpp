#include "forebay/sim/scenario/scenario.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace forebay::sim {
std::string_view name(FaultKind kind) {
  static constexpr std::array<std::string_view, kFaultKinds> kNames{
      "cold_start",   "rolling_restart", "mass_drop",      "crash",          "store_outage",
      "partition",    "clock_skew",      "slow_connect",   "connect_errors", "deploy",
      "tenant_storm", "freeze",          "server_restart", "server_stall",   "broken_streams"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string process_name(const ServiceSpec& service, int number) {
  if (service.replicas == 1) return service.name;
  // As many digits as the last one has, so that names sort as the processes do.
  const std::size_t width = fmt::formatted_size("{}", service.replicas);
  return fmt::format("{}-{:0{}}", service.name, number, width);
}

std::vector<ServiceSpec> processes(const Scenario& scenario) {
  std::vector<ServiceSpec> all;
  for (const ServiceSpec& service : scenario.services) {
    for (int number = 1; number <= service.replicas; ++number) {
      ServiceSpec& process = all.emplace_back(service);
      process.name = process_name(service, number);
      process.start_delay += service.stagger * (number - 1);
      process.stagger = Duration::zero();
      process.replicas = 1;
    }
  }
  return all;
}

std::vector<std::size_t> affected_processes(const Scenario& scenario, const FaultSpec& fault) {
  const auto is_named = [&](const std::string& name) {
    return std::ranges::find(fault.services, name) != fault.services.end();
  };
  std::vector<std::size_t> affected;
  std::size_t index = 0;
  for (const ServiceSpec& service : scenario.services) {
    const bool are_all_meant = fault.services.empty() || is_named(service.name);
    for (int number = 1; number <= service.replicas; ++number, ++index) {
      if (are_all_meant || is_named(process_name(service, number))) affected.push_back(index);
    }
  }
  return affected;
}

}  // namespace forebay::sim
