// SimDatabase: the server that all simulated processes share, with the limits of Aurora DSQL.
//
// It counts a session from the moment a connect arrives until it has ended, as the real one does;
// refuses connects beyond its rate and its cap; and cuts sessions that have lived too long. What it
// knows of sessions is true; what the pools believe is checked against it.
//
// A session may outlive its client. One whose client is gone ends at once while it is idle. While a
// statement runs the server looks for its client only now and then (misses_client_after), and a
// client that cannot be reached is missed after the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/core/server_door.hpp"
#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/random.hpp"
#include "forebay/sim/scenario/scenario.hpp"
#include "forebay/sim/trace.hpp"

namespace forebay::sim {

struct Session;

// Who has sessions that are more than a count.
class SessionHolder {
 public:
  virtual ~SessionHolder() = default;
  // The server has ended it, and counts it no longer.
  virtual void on_ended(Session& session) = 0;
  // The server is to end it, soon and somehow.
  virtual void drop(Session& session) = 0;
};

// One connection as the server sees it. It lives in the client's object and is only linked here,
// until the client lets go of one that the server still counts.
struct Session {
  using Ends = std::multimap<Instant, Session*>;

  ListLink<Session> link;
  std::unique_ptr<Session> self;      // its client is gone
  std::optional<Ends::iterator> end;  // if it is known when it will end
  int process = 0;
  Instant arrived_at{};             // the connect
  Instant opened_at{};              // the handshake was done
  bool is_counted = false;          // by the server
  bool is_open = false;             // opened, and nobody has begun to end it
  bool is_dirty = false;            // its last user left something behind
  bool is_left = false;             // its client has closed its socket, or died
  bool is_ghost = false;            // its process has died: it counts, but not as that process's
  Instant busy_until{};             // a statement runs
  bool is_dropped = false;          // it ends because the scenario says so
  SessionHolder* holder = nullptr;  // null: it is no more than a count
};

class SimDatabase {
 public:
  // Connects may come too early by the jitter, because the network delayed others before them.
  SimDatabase(const DatabaseSpec& spec, int processes, std::uint64_t seed, Trace& trace,
              Duration jitter = {});
  SimDatabase(const SimDatabase&) = delete;
  SimDatabase& operator=(const SimDatabase&) = delete;
  ~SimDatabase();

  // Every call comes with the time, and the time never goes back.
  Admission admit(Session& session, int process, Instant now);
  // A cancel comes by a connect of its own, which counts in the rate and is no session. False: it
  // was refused.
  bool admit_cancel(int process, Instant now);
  void finish_handshake(Session& session, Instant now);
  void begin_end(Session& session);
  void end(Session& session, Instant now);  // nothing happens if it has ended already
  // Its holder has ended it, of whatever process it is.
  void end_held(Session& session, Instant now);
  bool is_alive(const Session& session) const { return session.is_counted; }
  // Its client closes the socket; the server ends it now, or when it will notice. It says when.
  Instant leave(Session& session, Instant now);
  // The client's object goes away. What the server still counts is kept here.
  void keep(std::unique_ptr<Session> session, Instant now);
  // Ends what has lived too long, and what has no client. Called before anything is asked about a
  // later time.
  void advance(Instant now) {
    if (now >= next_end_) end_due(now);
  }

  // Faults.
  int cut_fraction(double fraction, Instant now);
  // The process has died: its machine closes the sockets, if it can be reached. Says when the last
  // of its sessions will be gone.
  Instant lose_process(int process, Instant now);
  void set_cut(int process, bool is_cut, Instant now);
  // It is being stopped, or was: its sessions end because the scenario says so.
  void set_stopped(int process, bool is_stopped) { of(process).is_stopped = is_stopped; }
  // While it is down nobody is let in. All sessions end.
  void set_down(bool is_down, Instant now);
  bool is_down() const { return is_down_; }
  void stall_until(Instant end) { stalled_until_ = end; }  // nothing is answered before
  void set_connect_factor(double factor) { connect_factor_ = factor; }
  void set_connect_failures(double fraction) { connect_failures_ = fraction; }

  // Chance.
  Duration draw_connect_time();
  Duration draw_answer_time();
  Duration stall_left(Instant now) const { return std::max(Duration(), stalled_until_ - now); }
  bool draw_connect_failure();
  bool draw_conflict();

  const DatabaseSpec& spec() const { return spec_; }
  int sessions() const { return sessions_; }
  int most_sessions() const { return most_sessions_; }
  int sessions_of(int process) const { return of(process).counted; }
  int open_of(int process) const { return of(process).open; }
  std::uint64_t connects() const { return connects_; }
  std::uint64_t refused() const { return refused_by_rate_ + refused_by_cap_; }
  std::uint64_t refused_by_cap() const { return refused_by_cap_; }
  std::uint64_t ended() const { return ended_; }
  std::uint64_t conflicts() const { return conflicts_; }
  std::uint64_t connects_of(int process) const { return of(process).connects; }
  int most_connects_in_a_second() const { return connects_a_second_.most; }
  Instant busiest_second() const { return connects_a_second_.when; }
  // Without those that ended because the scenario dropped them, or stopped or killed their process.
  int most_ended_in_a_second() const { return ended_a_second_.most; }
  Instant second_of_most_ended() const { return ended_a_second_.when; }
  // How much too early the worst connect so far came, refused ones included: zero if in no window
  // more than rate * window + burst have come. What comes while nobody promises it is left out.
  Duration most_too_early() const { return most_too_early_; }
  void set_rate_promised(bool is_promised) { is_rate_promised_ = is_promised; }
  // How many connects would be let in at once now.
  int allowed_now(Instant now) const { return door_.allowed_now(now); }

 private:
  struct OfProcess {
    int counted = 0;
    int open = 0;
    bool is_cut = false;
    bool is_stopped = false;
    std::uint64_t connects = 0;
  };
  // The most that was counted in one second of the clock.
  struct PerSecond {
    void add(Instant now);
    std::int64_t second = -1;
    int count = 0;
    int most = 0;
    Instant when{};
  };
  const OfProcess& of(int process) const { return processes_[static_cast<std::size_t>(process)]; }
  OfProcess& of(int process) { return processes_[static_cast<std::size_t>(process)]; }
  void note_connect(int process, Instant now);
  enum class Cause : std::uint8_t { its_own, the_scenario };
  void forget(Session& session, Instant now, Cause cause = Cause::its_own);
  void end_due(Instant now);
  void note_next_end();
  void plan_end(Session& session, Instant at);
  void unplan_end(Session& session);
  Instant noticed_at(const Session& session, Instant now) const;

  const DatabaseSpec spec_;
  SeededRandom random_;
  Trace& trace_;
  double connect_factor_ = 1;
  double connect_failures_ = 0;
  bool is_down_ = false;
  Instant stalled_until_{};

  // The door's bucket moves with what it lets in, the other with all that comes.
  ServerDoor door_;
  Instant all_next_free_{};
  Duration most_too_early_{};
  bool is_rate_promised_ = true;

  Session::Ends ends_;
  Instant next_end_ = kNever;  // that is known: the oldest is cut, or one has no client
  IntrusiveList<Session, &Session::link> counted_;  // oldest first
  std::vector<OfProcess> processes_;
  int sessions_ = 0;
  int most_sessions_ = 0;
  std::uint64_t connects_ = 0;
  std::uint64_t refused_by_rate_ = 0;
  std::uint64_t refused_by_cap_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t conflicts_ = 0;
  PerSecond connects_a_second_;
  PerSecond ended_a_second_;
};

}  // namespace forebay::sim
