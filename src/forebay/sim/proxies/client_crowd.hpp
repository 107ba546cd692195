// ClientCrowd: the clients of one proxy, over all its lives. They come when it lets the first of
// them in, come back when they lose it, and leave when it is drained for good.
//
// Each compares what it hears with a server of its own. Here is known whether one may lose its
// session, and whether it has waited too long.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/env/task_group.hpp"
#include "forebay/sim/postgres/sim_client.hpp"
#include "forebay/sim/proxies/wire_side.hpp"
#include "forebay/sim/result/result.hpp"
#include "forebay/sim/workload.hpp"

namespace forebay::sim {

class ClientCrowd final : private SimClientWatch {
 public:
  // Whose clients they are.
  struct Proxy {
    const ServiceSpec& spec;
    int process = 0;
    StreamAddress place;
  };

  ClientCrowd(WireSide& side, Trace& trace, PromiseBook& book, const Proxy& proxy,
              std::uint64_t seed);
  ClientCrowd(const ClientCrowd&) = delete;
  ClientCrowd& operator=(const ClientCrowd&) = delete;
  ~ClientCrowd() override;  // REQUIRES: they were stopped, and the wire side has ended

  void start();  // once; later calls do nothing
  void stop();   // they finish what they are at, and leave
  // Whether the proxy is there for them.
  void set_served(bool is_served);

  // To be asked at every sample: they leave when their time is over.
  void look();
  // Promise 8, at a sample of a healthy world: nobody waits for an answer for ever.
  void check_progress() const;
  // They have left, long enough ago for the proxy to have noticed.
  bool are_gone() const;
  WorkCounts work() const;
  ClientFigures figures() const;

 private:
  void on_wrong(const SimClient& client, const std::string& what) override;
  void on_lost(const SimClient& client, const std::string& why) override;
  void on_heard(const SimClient& client, char type, std::string_view body) override;
  bool take_cancel(const std::string& sql) override { return side_.server().take_cancel(sql); }

  bool may_lose(const std::string& why) const;

  WireSide& side_;
  Trace& trace_;
  PromiseBook& book_;
  const Proxy proxy_;
  SeededRandom random_;
  const ClientFaults faults_;
  std::vector<std::unique_ptr<SimClient>> clients_;
  TaskGroup tasks_;
  bool is_served_ = false;
  Instant served_since_{};
  std::uint64_t lost_ = 0;
  bool has_started_ = false;
  Instant stopped_at_ = kNever;
};

}  // namespace forebay::sim
