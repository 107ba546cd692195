// The way of simulated processes to the simulated DynamoDB: it takes time, loses answers, delays
// requests, and can be cut. Network is what they share, SimHttp the way of one of them.
//
// A request of a process that dies meanwhile may still arrive, as it may in life.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "forebay/env/cancellation.hpp"
#include "forebay/env/http.hpp"
#include "forebay/env/random.hpp"
#include "forebay/sim/dynamodb/service.hpp"

namespace forebay::sim::dynamodb {

struct NetworkFaults {
  Duration fastest{};  // there and back
  Duration slowest{};  // at least as long as the fastest
  // Fraction of requests that nobody hears of again, or nothing clear. A quarter of them is not
  // done when their sender gives up, but some seconds later.
  double lost_replies = 0;
  double throttled = 0;  // fraction: the service is too busy to do it
};

class Network {
 public:
  // After each request that arrived: who had sent it, when it was, and what was answered.
  using Observer = std::function<void(int sender, Instant now, const HttpResponse& response)>;

  // start: the time of the service when virtual time begins.
  Network(Service& service, WallTime start, std::uint64_t seed, NetworkFaults faults = {})
      : service_(service), start_(start), random_(seed), faults_(faults) {}

  void set_faults(NetworkFaults faults) { faults_ = faults; }
  void set_away(bool is_away) { is_away_ = is_away; }
  bool is_away() const { return is_away_; }
  void set_on_answer(Observer observer) { on_answer_ = std::move(observer); }
  // Whose request the service is answering.
  int sender() const { return sender_; }
  std::uint64_t requests() const { return requests_; }

 private:
  friend class SimHttp;
  struct Delayed {
    int sender;
    HttpRequest request;
  };

  bool draws(double chance) {
    return chance > 0 && random_.chance_per_million(static_cast<std::uint32_t>(chance * 1e6));
  }
  Duration draw_time() {
    return faults_.slowest > faults_.fastest ? random_.between(faults_.fastest, faults_.slowest)
                                             : faults_.fastest;
  }
  WallTime time_at(Instant now) const { return start_ + now.time_since_epoch(); }
  // The service's answer to a request that has arrived, after all that should have come before it.
  HttpResponse arrive(int sender, const HttpRequest& request, Instant now);
  HttpResponse let_answer(int sender, const HttpRequest& request, Instant now);
  void delay(int sender, HttpRequest request, Instant now);

  Service& service_;
  const WallTime start_;
  SeededRandom random_;
  NetworkFaults faults_;
  Observer on_answer_;
  // By when they arrive. Nobody can tell that they did before the next one comes, so they wait for
  // it.
  std::multimap<Instant, Delayed> delayed_;
  bool is_away_ = false;
  int sender_ = -1;
  std::uint64_t requests_ = 0;
};

class SimHttp final : public HttpTransport {
 public:
  SimHttp(Network& network, Scheduler& scheduler, int sender = 0)
      : network_(network), scheduler_(scheduler), sender_(sender), death_(scheduler) {}

  Task<Result<HttpResponse>> send(HttpRequest request, Instant deadline) override;

  void set_cut(bool is_cut) { is_cut_ = is_cut; }
  // Its process has died: nothing more is sent, and whatever is under way is over for it.
  void die() { death_.cancel(); }

 private:
  Network& network_;
  Scheduler& scheduler_;
  const int sender_;
  Cancellation death_;
  bool is_cut_ = false;
};

}  // namespace forebay::sim::dynamodb
