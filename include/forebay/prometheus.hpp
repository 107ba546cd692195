// Metrics for services that use prometheus-cpp (Debian's prometheus-cpp-dev; link it yourself).
//
//   forebay::Metrics metrics("orders");
//   auto watch = forebay::watch(metrics, *pool);
//
//   auto collectable = std::make_shared<forebay::PrometheusCollectable>(metrics);
//   exposer.RegisterCollectable(collectable);       // beside the service's own registry
//
//   forebay::PrometheusMirror mirror(metrics, *registry);  // or into it
//
// A Collectable is asked when Prometheus asks. A Registry is not told when it is asked, so a mirror
// copies what there is now at every refresh(), and by itself every second.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include "forebay/detail/base/mutex.hpp"
#include "forebay/detail/env/real/ticker.hpp"
#include "forebay/metrics/metrics.hpp"

namespace forebay {

class PrometheusCollectable final : public prometheus::Collectable {
 public:
  explicit PrometheusCollectable(const Metrics& metrics) : metrics_(metrics) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    Families families;
    metrics_.write(families);
    std::vector<prometheus::MetricFamily> collected;
    for (prometheus::MetricFamily& family : families.all) {
      if (!family.metric.empty()) collected.push_back(std::move(family));
    }
    return collected;
  }

 private:
  struct Families final : MetricSink {
    Families() {
      for (const MetricDefinition& each : metric_table()) {
        prometheus::MetricFamily& family = of(each.metric);
        family.name = each.name;
        family.help = each.help;
        family.type = each.type == MetricType::counter ? prometheus::MetricType::Counter
                      : each.type == MetricType::gauge ? prometheus::MetricType::Gauge
                                                       : prometheus::MetricType::Histogram;
      }
    }
    prometheus::MetricFamily& of(Metric metric) { return all[static_cast<std::size_t>(metric)]; }
    prometheus::ClientMetric& add(Metric metric, MetricLabels labels) {
      prometheus::ClientMetric& added = of(metric).metric.emplace_back();
      for (const MetricLabel& label : labels)
        added.label.push_back({std::string(label.name), std::string(label.value)});
      return added;
    }
    void number(Metric metric, MetricLabels labels, double value) override {
      prometheus::ClientMetric& added = add(metric, labels);
      if (definition(metric).type == MetricType::counter) {
        added.counter.value = value;
      } else {
        added.gauge.value = value;
      }
    }
    void times(Metric metric, MetricLabels labels, const TimeHistogram& times) override {
      prometheus::ClientMetric::Histogram& histogram = add(metric, labels).histogram;
      std::uint64_t count = 0;
      for (std::size_t i = 0; i <= TimeHistogram::kBounds; ++i) {
        count += times.count(i);
        const double bound = i < TimeHistogram::kBounds
                                 ? in_unit_of(metric, TimeHistogram::kLongest[i])
                                 : std::numeric_limits<double>::infinity();
        histogram.bucket.push_back({count, bound});
      }
      histogram.sample_count = count;
      histogram.sample_sum = in_unit_of(metric, times.sum());
    }

    std::array<prometheus::MetricFamily, kMetrics> all;
  };

  const Metrics& metrics_;
};

// Metrics and registry outlive it. One mirror for each registry: metrics with the same labels are
// the same to it. What is no longer told is taken out of the registry, and all of it at the end;
// the families stay there, empty. What has begun again, a pool that was made anew, begins again
// here.
class PrometheusMirror {
 public:
  PrometheusMirror(const Metrics& metrics, prometheus::Registry& registry,
                   std::chrono::milliseconds every = std::chrono::seconds(1))
      : metrics_(metrics), sink_(registry) {
    refresh();
    ticker_.emplace(every, [this] { refresh(); });
  }
  PrometheusMirror(const PrometheusMirror&) = delete;
  PrometheusMirror& operator=(const PrometheusMirror&) = delete;
  ~PrometheusMirror() {
    ticker_.reset();
    sink_.begin();
    sink_.end();
  }

  // Any thread.
  void refresh() {
    MutexLock lock(mutex_);
    sink_.begin();
    metrics_.write(sink_);
    sink_.end();
  }

 private:
  template <class Kind>
  struct Entry {
    Kind* metric = nullptr;
    TimeHistogram before;  // of a histogram
    std::uint64_t round = 0;
  };
  template <class Kind>
  struct Mirrored {
    prometheus::Family<Kind>* family = nullptr;
    std::map<prometheus::Labels, Entry<Kind>> entries;
  };

  class Sink final : public MetricSink {
   public:
    explicit Sink(prometheus::Registry& registry) : registry_(registry) {}

    void begin() { ++round_; }
    void end() {
      for (auto& [metric, mirrored] : counters_) forget_old(mirrored);
      for (auto& [metric, mirrored] : gauges_) forget_old(mirrored);
      for (auto& [metric, mirrored] : histograms_) forget_old(mirrored);
    }
    void number(Metric metric, MetricLabels labels, double value) override {
      if (definition(metric).type == MetricType::counter) {
        Entry<prometheus::Counter>* counter =
            &entry(counters_, prometheus::BuildCounter(), metric, labels);
        if (value < counter->metric->Value()) {
          forget(counters_, metric, labels);
          counter = &entry(counters_, prometheus::BuildCounter(), metric, labels);
        }
        counter->metric->Increment(value - counter->metric->Value());
      } else {
        entry(gauges_, prometheus::BuildGauge(), metric, labels).metric->Set(value);
      }
    }
    void times(Metric metric, MetricLabels labels, const TimeHistogram& times) override {
      prometheus::Histogram::BucketBoundaries bounds;
      for (const Duration bound : TimeHistogram::kLongest)
        bounds.push_back(in_unit_of(metric, bound));
      Entry<prometheus::Histogram>* histogram =
          &entry(histograms_, prometheus::BuildHistogram(), metric, labels, bounds);
      if (has_begun_again(times, histogram->before)) {
        forget(histograms_, metric, labels);
        histogram = &entry(histograms_, prometheus::BuildHistogram(), metric, labels, bounds);
      }
      std::vector<double> more;
      for (std::size_t i = 0; i <= TimeHistogram::kBounds; ++i)
        more.push_back(static_cast<double>(times.count(i) - histogram->before.count(i)));
      const Duration time = times.sum() - histogram->before.sum();
      histogram->metric->ObserveMultiple(more, in_unit_of(metric, time));
      histogram->before = times;
    }

   private:
    static bool has_begun_again(const TimeHistogram& now, const TimeHistogram& before) {
      for (std::size_t i = 0; i <= TimeHistogram::kBounds; ++i) {
        if (now.count(i) < before.count(i)) return true;
      }
      return now.sum() < before.sum();
    }
    static prometheus::Labels key_of(MetricLabels labels) {
      prometheus::Labels key;
      for (const MetricLabel& label : labels)
        key.emplace(std::string(label.name), std::string(label.value));
      return key;
    }
    template <class Kind>
    static void forget(std::map<Metric, Mirrored<Kind>>& all, Metric metric, MetricLabels labels) {
      Mirrored<Kind>& mirrored = all[metric];
      const auto found = mirrored.entries.find(key_of(labels));
      mirrored.family->Remove(found->second.metric);
      mirrored.entries.erase(found);
    }
    template <class Kind, class Builder, class... Arguments>
    Entry<Kind>& entry(std::map<Metric, Mirrored<Kind>>& all, Builder builder, Metric metric,
                       MetricLabels labels, const Arguments&... arguments) {
      Mirrored<Kind>& mirrored = all[metric];
      if (mirrored.family == nullptr) {
        mirrored.family = &builder.Name(std::string(definition(metric).name))
                               .Help(std::string(definition(metric).help))
                               .Register(registry_);
      }
      const prometheus::Labels key = key_of(labels);
      Entry<Kind>& found = mirrored.entries[key];
      if (found.metric == nullptr) found.metric = &mirrored.family->Add(key, arguments...);
      found.round = round_;
      return found;
    }
    template <class Kind>
    void forget_old(Mirrored<Kind>& mirrored) {
      std::erase_if(mirrored.entries, [&](const auto& each) {
        if (each.second.round == round_) return false;
        mirrored.family->Remove(each.second.metric);
        return true;
      });
    }

    prometheus::Registry& registry_;
    std::uint64_t round_ = 0;
    std::map<Metric, Mirrored<prometheus::Counter>> counters_;
    std::map<Metric, Mirrored<prometheus::Gauge>> gauges_;
    std::map<Metric, Mirrored<prometheus::Histogram>> histograms_;
  };

  const Metrics& metrics_;
  Mutex mutex_;  // one refresh at a time
  Sink sink_;
  std::optional<Ticker> ticker_;
};

}  // namespace forebay
