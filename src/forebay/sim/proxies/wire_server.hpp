// WireServer: the simulated database as proxies reach it, by PostgreSQL's protocol. SimPostgres
// speaks; whom it lets in, how long things take and what it counts is the database's, as for all
// others.
//
// It knows of each session whose it is and who used it, and checks that nobody is given one that is
// too old, or finds what another left, and that cancels hit what they are meant for. Confined to
// its scheduler.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/stream_network.hpp"
#include "forebay/sim/checks/promise_book.hpp"
#include "forebay/sim/database.hpp"
#include "forebay/sim/postgres/sim_client.hpp"
#include "forebay/sim/postgres/sim_postgres.hpp"

namespace forebay::sim {

// What it finds around it.
struct WireServerParts {
  const std::vector<ServiceSpec>& processes;  // hosts are called as they are
  SimDatabase& database;
  Trace& trace;
  PromiseBook& book;
};

class WireServer final : private SimPostgresWatch, private SessionHolder {
 public:
  WireServer(const WireServerParts& parts, SimScheduler& scheduler, StreamNetwork& network,
             std::uint64_t seed);
  WireServer(const WireServer&) = delete;
  WireServer& operator=(const WireServer&) = delete;
  ~WireServer() override;

  static StreamAddress place() { return StreamAddress::tcp("db", 5432); }

  // Faults.
  void set_down(bool is_down) { is_down ? server_.stop() : server_.start(); }
  void stall_until(Instant end);
  // The process stood still until now: what it had been given before has grown old in its hands.
  void excuse(int process) { excused_[process] = scheduler_.now(); }

  // Clients mark their statements with their number.
  void add_client(SimClient& client, const ProxySpec& spec);
  void remove_client(const SimClient& client) { clients_.erase(client.number()); }
  // True, once for each time: this statement was cancelled.
  bool take_cancel(const std::string& sql);
  // When it last ended a session of that process by itself.
  Instant last_cut_of(int process) const;
  // Processes of which it has counted more or fewer sessions since it was asked last.
  std::set<int> take_touched() { return std::exchange(touched_, {}); }

  Task<void> close() { return server_.close(); }

 private:
  struct WireSession;
  struct KnownClient {
    SimClient* client = nullptr;
    bool has_query_limit = false;  // of the proxy, which cancels what takes longer
  };

  std::string on_connect(std::uint32_t number, const std::string& from) override;
  Duration connect_time(std::uint32_t number) override;
  void on_ready(std::uint32_t number) override;
  void on_end(std::uint32_t number) override;
  Duration answer_time() override { return parts_.database.draw_answer_time(); }
  Duration goodbye_time() override { return parts_.database.draw_answer_time(); }
  void on_message(std::uint32_t number, char type, const std::string& sql, Instant done) override;
  void on_violation(std::uint32_t number, const std::string& what) override;
  bool on_cancel_request(const std::string& from) override;
  void on_cancelled(std::uint32_t number, const std::string& sql) override;

  void on_ended(Session& session) override;
  void drop(Session& session) override;

  int process_at(const std::string& from) const;
  void check_use(const WireSession& session, int client);
  void check_age(const WireSession& session, int client);

  WireServerParts parts_;
  SimScheduler& scheduler_;
  SeededRandom random_;
  SimPostgres server_;
  std::map<std::string, int> processes_;
  std::map<std::uint32_t, std::unique_ptr<WireSession>> sessions_;
  std::map<int, KnownClient> clients_;
  std::map<std::string, int> cancels_;  // statements, and how often nobody has heard of it yet
  std::map<int, Instant> excused_;
  std::map<int, Instant> cuts_;
  std::set<int> touched_;
  Instant stalled_until_{};
};

}  // namespace forebay::sim
