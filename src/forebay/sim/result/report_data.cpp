#include "forebay/sim/result/report_data.hpp"

#include <algorithm>
#include <ostream>
#include <span>
#include <string>

#include "forebay/base/json_writer.hpp"
#include "forebay/sim/result/json.hpp"
#include "forebay/sim/result/series_text.hpp"

namespace forebay::sim {
namespace {

// Of all services together; 44 services for two and a half hours, sampled each second. A page with
// more is slow to open.
constexpr std::size_t kMostSamples = 400'000;

// A number of a sample. What is counted goes on holding when a process has no sample any more.
template <class Source>
struct Field {
  std::string_view name;
  std::int64_t (*read)(const Source&);
  bool is_counter = false;
};

std::int64_t microseconds(Duration time) { return time / std::chrono::microseconds(1); }

constexpr std::array<Field<Sample>, 16> kSampleFields{{
    {"ready", [](const Sample& s) -> std::int64_t { return s.ready; }},
    {"target", [](const Sample& s) -> std::int64_t { return s.target; }},
    {"lent", [](const Sample& s) -> std::int64_t { return s.lent; }},
    {"opening", [](const Sample& s) -> std::int64_t { return s.opening; }},
    {"cleaning", [](const Sample& s) -> std::int64_t { return s.cleaning; }},
    {"closing", [](const Sample& s) -> std::int64_t { return s.closing; }},
    {"waiters", [](const Sample& s) -> std::int64_t { return s.waiters; }},
    {"held", [](const Sample& s) -> std::int64_t { return s.leases; }},
    {"up", [](const Sample& s) -> std::int64_t { return s.is_up ? 1 : 0; }},
    {"acquired", [](const Sample& s) { return static_cast<std::int64_t>(s.acquired); }, true},
    {"empty", [](const Sample& s) { return static_cast<std::int64_t>(s.empty_events); }, true},
    {"timeouts", [](const Sample& s) { return static_cast<std::int64_t>(s.timeouts); }, true},
    {"opened", [](const Sample& s) { return static_cast<std::int64_t>(s.opened); }, true},
    {"failed", [](const Sample& s) { return static_cast<std::int64_t>(s.open_failures); }, true},
    {"delayed", [](const Sample& s) { return static_cast<std::int64_t>(s.permit_waits); }, true},
    {"completed", [](const Sample& s) { return static_cast<std::int64_t>(s.work_completed); },
     true},
}};

constexpr std::array<Field<ClusterSample>, 7> kClusterFields{{
    {"at", [](const ClusterSample& s) { return microseconds(s.at); }},
    {"connects", [](const ClusterSample& s) -> std::int64_t { return s.connects; }},
    {"refused", [](const ClusterSample& s) -> std::int64_t { return s.refused; }},
    {"sessions", [](const ClusterSample& s) -> std::int64_t { return s.sessions; }},
    {"closures", [](const ClusterSample& s) -> std::int64_t { return s.closures; }},
    {"leases", [](const ClusterSample& s) -> std::int64_t { return s.leases; }},
    {"lease_limit", [](const ClusterSample& s) -> std::int64_t { return s.lease_limit; }},
}};

using Sums = std::vector<std::int64_t>;  // one for each cluster sample

// The series of one number of all services, added up at the cluster's times. A service counts with
// its newest sample; where that is older than one period, only its counters do.
template <class Read>
Sums sum_of_services(const RunResult& result, bool is_counter, Read read) {
  Sums sums(result.cluster.size(), 0);
  for (const ServiceResult& service : result.services) {
    const std::span<const Sample> samples = service.samples;
    std::size_t next = 0;
    Duration before = Duration::min();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Duration at = result.cluster[i].at;
      while (next < samples.size() && samples[next].at <= at) ++next;
      const bool counts = next > 0 && (is_counter || samples[next - 1].at > before);
      if (counts) sums[i] += read(samples[next - 1]);
      before = at;
    }
  }
  return sums;
}

// The numbers of one item in `every`, and of the last one, because it has the final counters.
template <class Items, class Read>
std::string series(const Items& items, std::size_t every, Read read) {
  SeriesText text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i % every == 0 || i + 1 == items.size()) text.add(read(items[i]));
  }
  return text.text();
}

// For the reasons that occurred. The function gives the series of one.
template <class Total, class Series>
JsonObject discards_json(Total total, Series series_of) {
  JsonObject json;
  for (std::size_t i = 0; i < kDiscardReasons; ++i) {
    if (total(i) != 0) json.add(name(static_cast<DiscardReason>(i)), series_of(i));
  }
  return json;
}

JsonObject service_series(const ServiceResult& service, std::size_t every) {
  const std::vector<Sample>& samples = service.samples;
  JsonObject json;
  json.add("at", series(samples, every, [](const Sample& s) { return microseconds(s.at); }));
  for (const Field<Sample>& field : kSampleFields)
    json.add(field.name, series(samples, every, field.read));
  const auto total = [&](std::size_t i) {
    return samples.empty() ? 0U : samples.back().discards[i];
  };
  const auto series_of = [&](std::size_t i) {
    return series(samples, every,
                  [i](const Sample& s) { return static_cast<std::int64_t>(s.discards[i]); });
  };
  return json.add("discards", discards_json(total, series_of));
}

JsonObject cluster_series(const RunResult& result) {
  const auto itself = [](std::int64_t value) { return value; };
  JsonObject json;
  for (const Field<ClusterSample>& field : kClusterFields)
    json.add(field.name, series(result.cluster, 1, field.read));
  for (const Field<Sample>& field : kSampleFields) {
    const Sums sums = sum_of_services(result, field.is_counter, field.read);
    json.add(field.name, series(sums, 1, itself));
  }
  std::array<Sums, kDiscardReasons> discards;
  for (std::size_t i = 0; i < kDiscardReasons; ++i) {
    discards[i] = sum_of_services(result, true, [i](const Sample& sample) {
      return static_cast<std::int64_t>(sample.discards[i]);
    });
  }
  const auto total = [&](std::size_t i) { return discards[i].empty() ? 0 : discards[i].back(); };
  const auto series_of = [&](std::size_t i) { return series(discards[i], 1, itself); };
  return json.add("discards", discards_json(total, series_of));
}

std::size_t sample_stride(const RunResult& result) {
  std::size_t samples = 0;
  for (const ServiceResult& service : result.services) samples += service.samples.size();
  return samples <= kMostSamples ? 1 : (samples + kMostSamples - 1) / kMostSamples;
}

// "<" occurs in strings only, where JSON has another way to write it.
void write_without_tags(std::string_view text, std::ostream& out) {
  while (true) {
    const std::size_t tag = text.find('<');
    out << text.substr(0, tag);
    if (tag == std::string_view::npos) return;
    out << "\\u003c";
    text.remove_prefix(tag + 1);
  }
}

}  // namespace

void write_report_data(const RunResult& result, std::ostream& out) {
  const std::size_t every = sample_stride(result);
  JsonObject json;
  json.add("run", result_object(result));
  json.add("seed", std::to_string(result.seed)).add("every", every);  // too large for JavaScript
  json.add("cluster", cluster_series(result));
  JsonList services;
  for (const ServiceResult& service : result.services) services.add(service_series(service, every));
  write_without_tags(json.add("services", services).text(), out);
  out << "\n";
}

}  // namespace forebay::sim
