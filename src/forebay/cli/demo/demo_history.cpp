#include "forebay/cli/demo/demo_history.hpp"

#include "forebay/cli/text/figures.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay::cli {

void DemoHistory::add(DemoSample sample) {
  samples_.push_back(std::move(sample));
  const Duration oldest = samples_.back().at - kLatencyWindow;
  while (samples_.size() > 2 && samples_[1].at <= oldest) samples_.pop_front();
}

DemoTrend DemoHistory::trend() const {
  FOREBAY_CHECK(!samples_.empty(), "a trend needs a sample");
  DemoTrend trend;
  trend.now = samples_.back();
  const DemoSample& earlier = sample_before(kRateWindow);
  const Duration passed = trend.now.at - earlier.at;
  trend.connects_per_second = per_second(trend.now.connects() - earlier.connects(), passed);
  trend.statements_per_second =
      per_second(trend.now.load.statements - earlier.load.statements, passed);
  trend.recent_acquire_times =
      trend.now.acquire_times.since(sample_before(kLatencyWindow).acquire_times);
  return trend;
}

// The last sample that is at least so old, or the oldest.
const DemoSample& DemoHistory::sample_before(Duration window) const {
  const Duration wanted = samples_.back().at - window;
  for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample) {
    if (sample->at <= wanted) return *sample;
  }
  return samples_.front();
}

}  // namespace forebay::cli
