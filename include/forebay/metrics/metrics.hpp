// Metrics: all that a process has to tell, put together when somebody asks.
//
//   Metrics metrics("orders");
//   const Metrics::Watch watch = metrics.watch(
//       [&](MetricSink& sink) { write_pool_metrics(sink, "orders", "main", pool.statistics()); });
//   std::string page = metrics.text();
//
// Nothing is recorded here: sources are asked when the page is, one after the other. Any thread may
// call it. The end of a Watch waits for its own source, if that is being asked, and for no other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "forebay/detail/base/mutex.hpp"
#include "forebay/metrics/metric_format.hpp"
#include "forebay/metrics/metric_sink.hpp"

namespace forebay {

class Metrics {
 public:
  using Source = std::function<void(MetricSink&)>;
  // Why this part is not ready to serve; empty: it is.
  using Readiness = std::function<std::string()>;

  explicit Metrics(std::string service);
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  ~Metrics();  // REQUIRES: nothing is watched any more

  // The source is asked while this lives, and never after.
  class Watch {
   public:
    Watch() = default;
    Watch(Watch&& other) noexcept;
    Watch& operator=(Watch&& other) noexcept;
    ~Watch();

   private:
    friend class Metrics;
    Watch(Metrics& metrics, std::uint64_t id) : metrics_(&metrics), id_(id) {}
    Metrics* metrics_ = nullptr;
    std::uint64_t id_ = 0;
  };
  [[nodiscard]] Watch watch(Source source, Readiness readiness = {});
  // The same for one of several that may have the same name: the source gets one that no other has,
  // "main" or "main-2", because two values with the same labels make a page that nobody accepts.
  [[nodiscard]] Watch watch_named(const std::string& name,
                                  const std::function<Source(std::string)>& source,
                                  Readiness readiness = {});

  const std::string& service() const { return service_; }
  void write(MetricSink& sink) const;
  std::string text(MetricFormat format = MetricFormat::prometheus) const;  // see MetricText
  // Of every part that is not ready to serve, why. Empty: all are. Before anything is watched,
  // that.
  std::vector<std::string> not_ready() const;

 private:
  struct Entry {
    std::uint64_t id = 0;
    std::string name;  // may be empty
    Mutex asking;      // while it is asked, and when it ends
    bool is_over FOREBAY_GUARDED_BY(asking) = false;
    Source source;
    Readiness readiness;
  };
  using Entries = std::vector<std::shared_ptr<Entry>>;

  Watch add(std::string name, Source source, Readiness readiness) FOREBAY_REQUIRES(mutex_);
  void forget(std::uint64_t id);
  Entries entries() const;

  const std::string service_;
  mutable Mutex mutex_;
  Entries entries_ FOREBAY_GUARDED_BY(mutex_);  // in the order of their ids
  std::uint64_t next_id_ FOREBAY_GUARDED_BY(mutex_) = 1;
};

}  // namespace forebay
