// What tests can do to a world with proxies, and what comes of one.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "forebay/env/stream_network.hpp"
#include "forebay/pool/options.hpp"
#include "forebay/postgres/driver/server_profile.hpp"
#include "forebay/sim/result/result.hpp"

namespace forebay::sim {

// A part of the proxies is replaced by one with a bug, to see that the checks can fail.
class ProxyTampering {
 public:
  virtual ~ProxyTampering() = default;
  virtual postgres::ServerProfile profile(postgres::ServerProfile honest) { return honest; }
  virtual StreamNetwork& way_to_server(StreamNetwork& honest, Scheduler&) { return honest; }
  virtual std::unique_ptr<Connector> connector(std::unique_ptr<Connector> honest) { return honest; }
  virtual PoolOptions pool(PoolOptions honest) { return honest; }
};

// What came of a world.
struct ProxyWorldResult {
  std::optional<BrokenPromise> broken;
  std::uint64_t trace_hash = 0;
  std::uint64_t steps = 0;
  std::uint64_t units = 0;
  std::uint64_t unserved = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t lost = 0;
  std::uint64_t lives = 0;
  std::uint64_t pins = 0;
  std::uint64_t stays = 0;
  int most_sessions = 0;
  std::map<std::string, int> losses;  // why, and how often
};

}  // namespace forebay::sim
