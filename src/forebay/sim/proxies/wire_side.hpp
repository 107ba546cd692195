// WireSide: the part of a world in which the protocol is spoken: the server, the clients, and the
// streams between them and the proxies. Server and clients are machines of their own, with a
// scheduler each on the world's timeline.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "forebay/env/sim/sim_network.hpp"
#include "forebay/env/sim/timeline.hpp"
#include "forebay/sim/proxies/wire_server.hpp"

namespace forebay::sim {

class WireSide {
 public:
  // Labels of the schedulers.
  static constexpr int kServer = -2;
  static constexpr int kClients = -3;

  WireSide(const Scenario& scenario, const WireServerParts& parts, Timeline& timeline,
           std::uint64_t seed);
  WireSide(const WireSide&) = delete;
  WireSide& operator=(const WireSide&) = delete;
  ~WireSide();  // REQUIRES: end() was called

  // How much earlier than another connect may one come than it was sent.
  static Duration jitter(const StreamsSpec& streams) { return 4 * streams.spread; }

  WireServer& server() { return server_; }
  SimScheduler& clients() { return clients_; }
  SimHost& client_host() { return client_host_; }
  SimNetwork& to_server() { return to_server_; }
  SimNetwork& to_proxies() { return to_proxies_; }
  Random& random() { return random_; }

  // Whether there is, or was a moment ago, a fault that may cost clients their sessions. Set by the
  // world.
  void set_losses(std::function<bool()> may_lose) { may_lose_ = std::move(may_lose); }
  bool may_lose_sessions() const { return may_lose_(); }

  // The process has died: its machine closes the sockets.
  void lose(const std::string& process);
  // What the process and the server say to each other does not arrive; when that is over they have
  // given up.
  void set_cut(const std::string& process, bool is_cut);
  // A fraction of the streams of its clients breaks: by and by, or when both have waited in vain.
  int break_streams(const std::string& process, double fraction);

  // Everybody goes home, off the timeline. REQUIRES: no process is alive, and all clients are
  // stopped.
  void end();

 private:
  void break_somehow(const std::shared_ptr<SimWire>& wire);
  Task<void> cut_later(std::shared_ptr<SimWire> wire, Duration after);
  Task<void> close_server();

  Timeline& timeline_;
  SimScheduler serving_;
  SimScheduler clients_;
  SeededRandom random_;
  SimNetwork to_server_;
  SimNetwork to_proxies_;
  SimHost server_host_;
  SimHost client_host_;
  WireServer server_;
  TaskGroup breaks_;
  std::function<bool()> may_lose_ = [] { return true; };
  std::map<std::string, std::vector<std::shared_ptr<SimWire>>> silent_;  // by process
  bool has_ended_ = false;
};

}  // namespace forebay::sim
