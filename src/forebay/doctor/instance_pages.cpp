#include "forebay/doctor/instance_pages.hpp"

#include <algorithm>

namespace forebay::doctor {

InstancePages::InstancePages(MetricPage earlier, MetricPage later, Duration between)
    : earlier_(std::move(earlier)), later_(std::move(later)), between_(between) {
  for (const Metric metric : {Metric::reservoir_discards, Metric::reservoir_refill_failures}) {
    for (const MetricValue* const value : later_.all(metric)) {
      if (value->value == 0) continue;
      Labels others = value->labels;
      others.erase("reason");
      reasons_[{metric, std::move(others)}].emplace_back(std::string(value->label("reason")),
                                                         read(metric, value->labels));
    }
  }
}

Reading InstancePages::read(Metric metric, const Labels& labels) const {
  const std::string_view name = definition(metric).name;
  const std::optional<double> now = later_.find(name, labels);
  if (!now) return {};
  const double before = earlier_.find(name, labels).value_or(0);
  // After a restart a counter begins anew: all of it is new.
  const double increase = *now >= before ? *now - before : *now;
  return {.total = *now, .increase = increase, .is_told = true};
}

std::vector<Labels> InstancePages::all(Metric metric) const {
  std::vector<Labels> sets;
  for (const MetricValue* const value : later_.all(metric)) sets.push_back(value->labels);
  return sets;
}

const InstancePages::Reasons& InstancePages::reasons(Metric metric, const Labels& labels) const {
  static const Reasons kNone;
  const auto found = reasons_.find({metric, labels});
  return found == reasons_.end() ? kNone : found->second;
}

double InstancePages::per_second(double increase) const {
  const double seconds = std::chrono::duration<double>(between_).count();
  return seconds > 0 ? increase / seconds : 0;
}

bool InstancePages::is_restarted() const {
  return std::ranges::any_of(later_.values(), [this](const MetricValue& now) {
    if (!now.name.ends_with("_total")) return false;
    const std::optional<double> before = earlier_.find(now.name, now.labels);
    return before && *before > now.value;
  });
}

bool InstancePages::is_ours() const {
  return std::ranges::any_of(metric_table(), [this](const MetricDefinition& each) {
    return !later_.all(each.metric).empty();
  });
}

std::string shown(const Labels& labels) {
  std::string text;
  for (const char* const name : {"service", "pool", "endpoint", "operation"}) {
    const auto found = labels.find(name);
    if (found == labels.end() || found->second.empty()) continue;
    text.append(text.empty() ? "" : "/").append(found->second);
  }
  return text.empty() ? "the process" : text;
}

}  // namespace forebay::doctor
