#include "forebay/sim/proxies/wire_side.hpp"

#include "forebay/detail/base/check.hpp"
#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::sim {
namespace {

SimStreamOptions stream_options(const StreamsSpec& spec) {
  SimStreamOptions options;
  options.least_delay = spec.delay - spec.spread;
  options.most_delay = spec.delay + spec.spread;
  options.is_choppy = spec.is_choppy;
  options.capacity = static_cast<std::size_t>(spec.buffer);
  return options;
}

// A stream that breaks has carried at most so many bytes more.
constexpr std::uint64_t kLastOfStream = 400;

}  // namespace

WireSide::WireSide(const Scenario& scenario, const WireServerParts& parts, Timeline& timeline,
                   std::uint64_t seed)
    : timeline_(timeline),
      random_(seed),
      to_server_(stream_options(scenario.streams), seed + 1),
      to_proxies_(stream_options(scenario.streams), seed + 2),
      server_host_(to_server_, serving_, WireServer::place().host()),
      client_host_(to_proxies_, clients_, "clients"),
      server_(parts, serving_, server_host_, seed + 3),
      breaks_(clients_) {
  serving_.set_label(kServer);
  clients_.set_label(kClients);
  if (scenario.seed % 2 == 0) {
    serving_.set_tie_seed(seed + 5);
    clients_.set_tie_seed(seed + 6);
  }
  timeline_.join(serving_);
  timeline_.join(clients_);
}

WireSide::~WireSide() { FOREBAY_CHECK(has_ended_, "the wire side of a world was not ended"); }

void WireSide::lose(const std::string& process) {
  for (SimNetwork* const network : {&to_server_, &to_proxies_})
    for (const auto& wire : network->wires_of(process)) wire->cut();
}

void WireSide::set_cut(const std::string& process, bool is_cut) {
  std::vector<std::shared_ptr<SimWire>>& silent = silent_[process];
  if (is_cut) {
    silent = to_server_.wires_of(process);
    for (const auto& wire : silent) wire->fall_silent();
  } else {
    for (const auto& wire : silent) wire->cut();
    silent.clear();
  }
}

int WireSide::break_streams(const std::string& process, double fraction) {
  int broken = 0;
  for (const auto& wire : to_proxies_.wires_of(process)) {
    if (!random_.chance_per_million(static_cast<std::uint32_t>(fraction * 1e6))) continue;
    break_somehow(wire);
    ++broken;
  }
  return broken;
}

void WireSide::break_somehow(const std::shared_ptr<SimWire>& wire) {
  // Not both: of a silent one that breaks, one end would never hear.
  if (random_.below(3) == 0) {
    wire->fall_silent();
  } else {
    const auto side = random_.below(2) == 0 ? SimWire::Side::called : SimWire::Side::caller;
    wire->cut_after(side, wire->written_by(side) + 1 + random_.below(kLastOfStream));
  }
  // One that fell silent, or that nobody writes to.
  const Duration after = random_.between(std::chrono::seconds(1), std::chrono::seconds(4));
  breaks_.spawn(cut_later(wire, after));
}

Task<void> WireSide::cut_later(std::shared_ptr<SimWire> wire, Duration after) {
  co_await sleep_for(clients_, after);
  wire->cut();
}

Task<void> WireSide::close_server() {
  co_await server_.close();
  has_ended_ = true;
}

void WireSide::end() {
  timeline_.leave(serving_);
  timeline_.leave(clients_);
  for (const auto& wire : to_proxies_.wires()) wire->cut();
  clients_.run();
  start_detached(serving_, close_server());
  serving_.run();
  FOREBAY_CHECK(has_ended_ && breaks_.running() == 0,
                "the wire side of a world could not be ended");
}

}  // namespace forebay::sim
