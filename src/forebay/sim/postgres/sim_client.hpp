// SimClient: a client of a proxy over simulated streams. It logs in, sends the units of a script,
// reads the answers and has them compared with those of a server of its own, cancels, hangs up at
// any byte, and comes back.
//
// Confined to its scheduler.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "forebay/env/condition.hpp"
#include "forebay/env/stream_network.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/sim/postgres/client_script.hpp"
#include "forebay/sim/postgres/own_server.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"

namespace forebay::sim {

struct SimClientOptions {
  SimClientOptions() = default;
  int number = 1;
  StreamAddress proxy = StreamAddress::tcp("proxy", 6432);
  SessionParameters reported = usual_parameters();  // by servers, at the start of a session
  SessionParameters start;                          // what it asks for itself
  ClientHabits habits;
  int most_ahead = 1;                                 // units that are not answered
  Duration most_thought{};                            // between two units, by chance
  Duration most_read_pause{};                         // before it reads, by chance
  Duration least_back{std::chrono::milliseconds(1)};  // until it comes back
  int units_of_a_life = 50;                           // on average, until it leaves
};

// Chances, in parts per million of units. They may change at any time.
struct ClientFaults {
  ClientFaults() = default;
  std::uint32_t hangs_up = 0;  // somewhere in its bytes
  std::uint32_t cancels = 0;   // where there is something worth it
  std::uint32_t cancels_anything = 0;
};

class SimClient;

// Who is told what clients see.
class SimClientWatch {
 public:
  virtual ~SimClientWatch() = default;
  // It heard something else than what it would hear with a server to itself.
  virtual void on_wrong(const SimClient& client, const std::string& what) = 0;
  // Its session ended, and it had not asked for that.
  virtual void on_lost(const SimClient& client, const std::string& why) = 0;
  virtual void on_heard(const SimClient& client, char type, std::string_view body) = 0;
  // True, once for each time: a server has cancelled this statement.
  virtual bool take_cancel(const std::string& sql) = 0;
};

class SimClient {
 public:
  SimClient(Scheduler& scheduler, StreamNetwork& network, SimClientOptions options,
            const ClientFaults& faults, std::uint64_t seed, SimClientWatch& watch);
  SimClient(const SimClient&) = delete;
  SimClient& operator=(const SimClient&) = delete;
  ~SimClient();  // REQUIRES: run() has ended

  // Until stop(): then it finishes what it is at, and leaves.
  Task<void> run();
  void stop();
  // It hangs up now, wherever it is.
  void vanish();

  int number() const { return options_.number; }
  std::uint64_t sent() const { return sent_; }    // units
  std::uint64_t units() const { return units_; }  // that were answered
  // Of those: that they could not be served.
  std::uint64_t unserved() const;
  std::uint64_t dropped() const { return dropped_; }  // were not answered before its session ended
  std::uint64_t cancelled() const { return cancelled_; }  // statements
  std::uint64_t lives() const { return lives_; }
  // Since when it has waited for an answer; kNever: it does not.
  Instant waiting_since() const { return waiting_since_; }
  // Somebody may cancel this statement, which has its mark: it did not wait for the answer, or asks
  // for the cancel itself just now.
  bool may_be_cancelled(std::string_view sql) const;

 private:
  struct Life;

  Task<void> live();
  Task<bool> log_in(Life& life);
  Task<void> work(Life& life);
  Task<void> leave(Life& life);
  Task<bool> send(Life& life, std::string_view bytes);
  Task<void> listen(Life& life);
  void hear(Life& life, const wire::Frame& frame);
  void hear_welcome(Life& life, const wire::Frame& frame);
  Task<void> cancel(std::uint32_t process, std::string key, Duration after);
  Task<bool> wait_for_answers(Life& life, std::uint64_t most_open);
  void lose(Life& life, const std::string& why);
  Duration some(Duration most) { return random_.between(Duration::zero(), most); }

  Scheduler& scheduler_;
  StreamNetwork& network_;
  const SimClientOptions options_;
  const ClientFaults& faults_;
  SeededRandom random_;
  SimClientWatch& watch_;
  ClientScript script_;
  Condition changed_;
  TaskGroup tasks_;
  Life* life_ = nullptr;
  int first_mark_of_life_ = 0;
  int cancels_under_way_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t units_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t unserved_ = 0;
  std::uint64_t cancelled_ = 0;
  std::uint64_t lives_ = 0;
  Instant waiting_since_ = kNever;
  bool is_stopping_ = false;
};

}  // namespace forebay::sim
