// SimPostgres: a server that speaks PostgreSQL's protocol over streams, in virtual time: each of
// its sessions is a ModelPostgres. It takes its time, refuses, stalls, kills and restarts as it is
// told, and takes cancel requests.
//
// It counts a session from its start-up packet until its process has ended, as the real one does.
// Confined to its scheduler.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/env/condition.hpp"
#include "forebay/env/random.hpp"
#include "forebay/env/stream_network.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/sim/postgres/model_postgres.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"

namespace forebay::sim {

// Who decides about sessions, and is told of everything that happens in them. The number of a
// session is never used again.
class SimPostgresWatch {
 public:
  virtual ~SimPostgresWatch() = default;
  // A start-up packet has come from there. Empty: it counts from now on. Else the SQLSTATE with
  // which it is refused, and does not count.
  virtual std::string on_connect(std::uint32_t session, const std::string& from) = 0;
  // From then until the first ReadyForQuery, or the refusal.
  virtual Duration connect_time(std::uint32_t session) = 0;
  virtual void on_ready(std::uint32_t session) = 0;  // it is let in
  // No longer counted. REQUIRES: it was.
  virtual void on_end(std::uint32_t session) = 0;
  // For any statement, beside what its text says; and for a process to end.
  virtual Duration answer_time() = 0;
  virtual Duration goodbye_time() = 0;
  // A message comes to its turn; the text of the statement that it runs, if it runs one, and when
  // that will be done.
  virtual void on_message(std::uint32_t session, char type, const std::string& sql,
                          Instant done) = 0;
  // What came is no message, and its sender is out of step. The session ends.
  virtual void on_violation(std::uint32_t session, const std::string& what) = 0;
  // A CancelRequest has come from there. False: it is not heeded.
  virtual bool on_cancel_request(const std::string& from) = 0;
  // That statement is cancelled.
  virtual void on_cancelled(std::uint32_t session, const std::string& sql) = 0;
};

class SimPostgres {
 public:
  SimPostgres(Scheduler& scheduler, std::uint64_t seed, SimPostgresWatch& watch)
      : scheduler_(scheduler), random_(seed), watch_(watch), doors_(scheduler), tasks_(scheduler) {}
  SimPostgres(const SimPostgres&) = delete;
  SimPostgres& operator=(const SimPostgres&) = delete;
  ~SimPostgres();  // REQUIRES: close() has ended

  // From now on it can be called there, whenever it is up. The network outlives it.
  void listen(StreamNetwork& network, StreamAddress at);
  // Nobody is let in, and all sessions are killed; ends when they are gone.
  Task<void> close();

  int sessions() const { return static_cast<int>(sessions_.size()); }
  // In the order of their numbers.
  std::vector<std::uint32_t> session_numbers() const;
  const ModelPostgres* session(std::uint32_t number) const;  // null: it has ended

  // Faults.
  void stall_until(Instant end);     // nothing is answered before
  void kill(std::uint32_t session);  // its process dies at once; its peer sees the stream end
  // It dies when it has written so many bytes more.
  void die_after(std::uint32_t session, std::size_t bytes);
  // FATAL 57P01, and the end, when it is not writing.
  void terminate(std::uint32_t session);
  void stop();   // all sessions are terminated, and nobody can call
  void start();  // calls are answered again

 private:
  struct Session;
  struct Door {
    StreamNetwork& network;
    StreamAddress at;
    std::unique_ptr<StreamListener> listener{};
  };

  void open(Door& door);
  Task<void> accept_all(StreamListener& listener);
  Task<void> serve(std::unique_ptr<ByteStream> stream);
  Task<void> talk(Session& session);
  bool check(Session& session, const wire::Frame& frame);
  Task<bool> begin(Session& session, std::string_view packet);
  Task<bool> enter(Session& session, const wire::StartupView& start);
  Task<void> answer(Session& session, const wire::Frame& frame);
  Task<bool> work(Session& session, Duration time);
  Task<void> pause(Session& session, Instant until);
  Task<void> send(Session& session, std::string bytes);
  Task<void> end(Session& session);
  void cancel(const wire::CancelKeyView& key);
  void forget(Session& session);

  Scheduler& scheduler_;
  SeededRandom random_;  // for keys
  SimPostgresWatch& watch_;
  std::vector<Door> places_;
  bool is_up_ = true;
  std::vector<std::unique_ptr<StreamListener>> closed_;  // their tasks may still run
  std::map<std::uint32_t, Session*> sessions_;           // that count
  std::map<std::uint64_t, Session*> talks_;              // all streams
  std::uint64_t talk_count_ = 0;
  std::uint32_t last_session_ = 0;
  Instant stalled_until_{};
  TaskGroup doors_;
  TaskGroup tasks_;
};

}  // namespace forebay::sim
