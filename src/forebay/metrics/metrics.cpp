#include "forebay/metrics/metrics.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "forebay/detail/base/check.hpp"
#include "forebay/metrics/metric_text.hpp"

namespace forebay {

Metrics::Metrics(std::string service) : service_(std::move(service)) {}

Metrics::~Metrics() {
  MutexLock lock(mutex_);
  FOREBAY_CHECK(entries_.empty(), "metrics died while something was watched");
}

Metrics::Watch::Watch(Watch&& other) noexcept
    : metrics_(std::exchange(other.metrics_, nullptr)), id_(other.id_) {}

Metrics::Watch& Metrics::Watch::operator=(Watch&& other) noexcept {
  Watch moved(std::move(other));
  std::swap(metrics_, moved.metrics_);
  std::swap(id_, moved.id_);
  return *this;
}

Metrics::Watch::~Watch() {
  if (metrics_ != nullptr) metrics_->forget(id_);
}

Metrics::Watch Metrics::watch(Source source, Readiness readiness) {
  MutexLock lock(mutex_);
  return add({}, std::move(source), std::move(readiness));
}

Metrics::Watch Metrics::watch_named(const std::string& name,
                                    const std::function<Source(std::string)>& source,
                                    Readiness readiness) {
  MutexLock lock(mutex_);
  std::string own = name;
  const auto is_taken = [&](const auto& entry) { return entry->name == own; };
  for (int i = 2; std::ranges::any_of(entries_, is_taken); ++i)
    own = name + "-" + std::to_string(i);
  return add(own, source(own), std::move(readiness));
}

Metrics::Watch Metrics::add(std::string name, Source source, Readiness readiness) {
  auto entry = std::make_shared<Entry>();
  entry->id = next_id_++;
  entry->name = std::move(name);
  entry->source = std::move(source);
  entry->readiness = std::move(readiness);
  entries_.push_back(entry);
  return Watch(*this, entry->id);
}

void Metrics::forget(std::uint64_t id) {
  std::shared_ptr<Entry> entry;
  {
    MutexLock lock(mutex_);
    const auto found = std::ranges::lower_bound(entries_, id, {}, &Entry::id);
    entry = std::move(*found);
    entries_.erase(found);
  }
  MutexLock lock(entry->asking);
  entry->is_over = true;
}

Metrics::Entries Metrics::entries() const {
  MutexLock lock(mutex_);
  return entries_;
}

// Sources are asked without the list's lock: one that takes long, because it waits for the thread
// that tasks run on, must not keep that thread from watching something else.
void Metrics::write(MetricSink& sink) const {
  const std::array<MetricLabel, 2> build = {{{"service", service_}, {"version", FOREBAY_VERSION}}};
  sink.number(Metric::build_info, build, 1);
  for (const std::shared_ptr<Entry>& entry : entries()) {
    MutexLock lock(entry->asking);
    if (!entry->is_over) entry->source(sink);
  }
}

std::string Metrics::text(MetricFormat format) const {
  MetricText text(format);
  write(text);
  return text.text();
}

std::vector<std::string> Metrics::not_ready() const {
  std::vector<std::string> reasons;
  const Entries all = entries();
  if (all.empty()) reasons.push_back(service_ + ": nothing is watched yet");
  for (const std::shared_ptr<Entry>& entry : all) {
    MutexLock lock(entry->asking);
    if (entry->is_over || !entry->readiness) continue;
    std::string reason = entry->readiness();
    if (!reason.empty()) reasons.push_back(std::move(reason));
  }
  return reasons;
}

}  // namespace forebay
