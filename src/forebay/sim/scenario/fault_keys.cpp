#include "forebay/sim/scenario/fault_keys.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "forebay/sim/scenario/scenario_limits.hpp"

namespace forebay::sim {
namespace {

using yaml::Choice;
using yaml::Field;
using yaml::Key;
using yaml::names;
using yaml::read_map;
using yaml::Zero;

constexpr double kMostFactor = 10'000;

enum class Cut : std::uint8_t { store, database, both };
constexpr auto kCuts = std::to_array<Choice<Cut>>(
    {{"store", Cut::store}, {"database", Cut::database}, {"both", Cut::both}});

void read_cuts(const Field& from, FaultSpec& to) {
  Cut cut = Cut::store;
  from.read_choice(cut, kCuts);
  to.cuts_store = cut != Cut::database;
  to.cuts_database = cut != Cut::store;
}

std::array<Choice<FaultKind>, kFaultKinds> kinds() {
  std::array<Choice<FaultKind>, kFaultKinds> kinds{};
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    kinds[i] = {name(kind), kind};
  }
  return kinds;
}

using From = const Field&;
using Fault = FaultSpec;
constexpr auto kFaultKeys = std::to_array<Key<Fault>>({
    {"kind", [](From from, Fault& to) { from.read_choice(to.kind, kinds()); }},
    {"at", [](From from, Fault& to) { from.read_time(to.at, Zero::allowed); }},
    {"length", [](From from, Fault& to) { from.read_time(to.length, Zero::refused); }},
    {"services", [](From from, Fault& to) { from.read(to.services); }},
    {"fraction", [](From from, Fault& to) { from.read_fraction(to.fraction, Zero::refused); }},
    {"factor", [](From from, Fault& to) { from.read_number(to.factor, 1, kMostFactor); }},
    {"tenants", [](From from, Fault& to) { from.read_whole(to.tenants, 1, kMostTenants); }},
    {"every", [](From from, Fault& to) { from.read_time(to.every, Zero::refused); }},
    {"overlap", [](From from, Fault& to) { from.read_time(to.overlap, Zero::allowed); }},
    {"skew", [](From from, Fault& to) { from.read_time_to_either_side(to.skew); }},
    {"cuts", read_cuts},
});

constexpr auto kPoolsimKinds = std::to_array<Choice<FaultKind>>({
    {"cold_start", FaultKind::cold_start},
    {"rolling_restart", FaultKind::rolling_restart},
    {"mass_drop", FaultKind::mass_drop},
});

constexpr auto kPoolsimKeys = std::to_array<Key<Fault>>({
    {"kind", [](From from, Fault& to) { from.read_choice(to.kind, kPoolsimKinds); }},
    {"rollEvery", [](From from, Fault& to) { from.read_time(to.every, Zero::refused); }},
    {"dropAt", [](From from, Fault& to) { from.read_time(to.at, Zero::allowed); }},
    {"dropFraction", [](From from, Fault& to) { from.read_fraction(to.fraction, Zero::refused); }},
});

void read_key(const Field& field, Fault& fault) {
  const auto key = std::ranges::find(kFaultKeys, field.key(), &Key<Fault>::name);
  key->read(field, fault);
}

}  // namespace

std::vector<std::string> fault_keys() { return names(kFaultKeys); }

std::vector<std::string> poolsim_fault_keys() { return names(kPoolsimKeys); }

std::vector<std::string> fault_keys(FaultKind kind) {
  switch (kind) {
    case FaultKind::cold_start: return {};
    case FaultKind::rolling_restart: return {"at", "services", "every"};
    case FaultKind::mass_drop: return {"at", "fraction"};
    case FaultKind::crash: return {"at", "length", "services"};
    case FaultKind::store_outage: return {"at", "length"};
    case FaultKind::partition: return {"at", "length", "services", "cuts"};
    case FaultKind::clock_skew: return {"at", "length", "services", "skew"};
    case FaultKind::slow_connect: return {"at", "length", "factor"};
    case FaultKind::connect_errors: return {"at", "length", "fraction"};
    case FaultKind::deploy: return {"at", "services", "overlap"};
    case FaultKind::tenant_storm: return {"at", "length", "services", "factor", "tenants"};
    case FaultKind::freeze: return {"at", "length", "services"};
    case FaultKind::server_restart: return {"at", "length"};
    case FaultKind::server_stall: return {"at", "length"};
    case FaultKind::broken_streams: return {"at", "services", "fraction"};
  }
  return {};
}

std::optional<FaultSpec> read_fault(const Field& item) {
  const std::vector<Field> fields = item.entries(fault_keys());
  const auto kind = std::ranges::find(fields, "kind", &Field::key);
  if (kind == fields.end()) {
    item.refuse(fmt::format("kind is missing; it says what happens, like kind: {}",
                            name(FaultKind::crash)));
    return std::nullopt;
  }
  FaultSpec fault;
  const bool is_kind_known = kind->read_choice(fault.kind, kinds());
  if (is_kind_known && fault.kind == FaultKind::cold_start) {
    kind->refuse("cold_start is no fault, every run starts cold; leave it out");
    return std::nullopt;
  }
  const std::vector<std::string> understood = fault_keys(fault.kind);
  for (const Field& field : fields) {
    if (field.key() == "kind") continue;
    const bool is_understood = std::ranges::find(understood, field.key()) != understood.end();
    if (is_understood || !is_kind_known) {
      read_key(field, fault);
    } else {
      field.refuse(fmt::format("means nothing to {}, which has {}", name(fault.kind),
                               fmt::join(understood, ", ")));
    }
  }
  if (fault.kind == FaultKind::clock_skew &&
      std::ranges::find(fields, "skew", &Field::key) == fields.end())
    item.refuse("skew is missing; it says how far the clocks are off, like skew: 90s or skew: -2m");
  if (!is_kind_known) return std::nullopt;
  return fault;
}

FaultSpec read_poolsim_fault(const Field& group) {
  FaultSpec fault;
  read_map(group, kPoolsimKeys, fault);
  // A drop's time means nothing to restarts, which begin at 5 minutes.
  if (fault.kind == FaultKind::rolling_restart) fault.at = FaultSpec().at;
  return fault;
}

}  // namespace forebay::sim
