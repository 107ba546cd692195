// AcquireWatch: tells the watch of a proxy's pool how clients of the proxy wait for servers, which
// only the proxy's own observer sees.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "forebay/core/latency_histogram.hpp"
#include "forebay/pool/observer.hpp"
#include "forebay/sim/checks/caller_watch.hpp"

namespace forebay::sim {

class AcquireWatch final : public Observer {
 public:
  // They wait no longer than that.
  AcquireWatch(const Scheduler& scheduler, Duration longest_wait,
               std::vector<LatencyHistogram*> waits)
      : scheduler_(scheduler), longest_wait_(longest_wait), waits_(std::move(waits)) {}

  // From now on. REQUIRES: nobody waits.
  void tell(CallerWatch* watch) { watch_ = watch; }

  void on_begin(const ObservedCall& call) noexcept override {
    if (watch_ == nullptr) return;
    tickets_.try_emplace(call.id, *watch_, deadline_after(scheduler_.now(), longest_wait_));
  }
  void on_end(const ObservedCall& call, Duration, const Error* error) noexcept override {
    const auto found = tickets_.find(call.id);
    if (found == tickets_.end()) return;
    CallerWatch::Ticket& ticket = found->second;
    for (LatencyHistogram* const histogram : waits_) histogram->record(ticket.waited());
    if (error == nullptr) {
      ticket.served();
    } else {
      ticket.unserved(*error);
    }
    tickets_.erase(found);
  }
  // What it is told from now on is about a process that has died.
  void stop() {
    watch_ = nullptr;
    tickets_.clear();
  }

 private:
  const Scheduler& scheduler_;
  const Duration longest_wait_;
  const std::vector<LatencyHistogram*> waits_;
  CallerWatch* watch_ = nullptr;
  std::map<std::uint64_t, CallerWatch::Ticket> tickets_;
};

}  // namespace forebay::sim
