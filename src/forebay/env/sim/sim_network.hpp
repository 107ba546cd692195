// SimNetwork: simulated hosts that call each other by address. What happens to a stream between is
// told to its wire.
//
// The same seed and the same program give the same bytes at the same times.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/env/sim/sim_stream.hpp"
#include "forebay/env/stream_network.hpp"

namespace forebay::sim {

class SimListener;
class SimNetwork;

// The network as the tasks of one scheduler see it.
class SimHost final : public StreamNetwork {
 public:
  // The name is what others see as the address of its calls.
  SimHost(SimNetwork& network, Scheduler& scheduler, std::string name)
      : network_(network), scheduler_(scheduler), name_(std::move(name)) {}

  Task<Result<std::unique_ptr<ByteStream>>> connect(StreamAddress to, Until until) override;
  Result<std::unique_ptr<StreamListener>> listen(const StreamAddress& at) override;
  Scheduler& scheduler() const { return scheduler_; }

  // While it is cut off, none of its calls is answered.
  void set_cut_off(bool is_cut_off) { is_cut_off_ = is_cut_off; }

 private:
  SimNetwork& network_;
  Scheduler& scheduler_;
  const std::string name_;
  bool is_cut_off_ = false;
};

// Outlives its hosts and their streams.
class SimNetwork {
 public:
  SimNetwork(const SimStreamOptions& options, std::uint64_t seed)
      : options_(options), random_(seed) {}
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;
  ~SimNetwork();  // REQUIRES: nobody listens

  // For the streams to come.
  void set_options(const SimStreamOptions& options) { options_ = options; }
  // While it is unreachable, calls there are not answered. Streams that exist go on.
  void set_reachable(const StreamAddress& address, bool is_reachable);
  // Of the streams whose ends are not both gone, in the order of their calls.
  std::vector<std::shared_ptr<SimWire>> wires();
  // Of these, those with an end at that host, by its name: as caller, or where it is called.
  std::vector<std::shared_ptr<SimWire>> wires_of(std::string_view host);

 private:
  friend class SimHost;
  friend class SimListener;

  Duration some_delay() { return random_.between(options_.least_delay, options_.most_delay); }
  SimListener* listener_at(const StreamAddress& address);
  // The caller's end.
  std::unique_ptr<ByteStream> join_ends(SimListener& listener, Scheduler& caller,
                                        const std::string& caller_name);

  SimStreamOptions options_;
  SeededRandom random_;
  std::map<std::string, SimListener*> listeners_;
  std::set<std::string> unreachable_;
  std::vector<std::weak_ptr<SimWire>> wires_;
  std::uint16_t next_port_ = 40'000;
};

}  // namespace forebay::sim
