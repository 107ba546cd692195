// The driver of simulated processes: sessions of the simulated database, over a network that can
// be cut and in a process that can die.
#pragma once

#include "forebay/env/condition.hpp"
#include "forebay/pool/connection.hpp"
#include "forebay/sim/database.hpp"

namespace forebay::sim {

// One process's way to the database.
class Link {
 public:
  Link(Scheduler& scheduler, SimDatabase& database, int process)
      : scheduler_(scheduler), database_(database), process_(process), changed_(scheduler) {}

  Scheduler& scheduler() const { return scheduler_; }
  SimDatabase& database() const { return database_; }
  int process() const { return process_; }

  bool is_up() const { return !is_cut_ && !is_dead_; }
  bool is_dead() const { return is_dead_; }
  void set_cut(bool is_cut) {
    is_cut_ = is_cut;
    database_.set_cut(process_, is_cut, scheduler_.now());
  }
  // The process has died: whatever it still asks is answered at once, with a failure.
  void die() {
    is_dead_ = true;
    changed_.notify_all();
  }
  // Ends when the time has passed, or at once when the process dies.
  Condition::Wait wait(Instant until) {
    return changed_.wait_until(is_dead_ ? scheduler_.now() : until);
  }

 private:
  Scheduler& scheduler_;
  SimDatabase& database_;
  const int process_;
  Condition changed_;
  bool is_cut_ = false;
  bool is_dead_ = false;
};

class SimConnection : public Connection {
 public:
  explicit SimConnection(Link& link) : link_(link), session_(std::make_unique<Session>()) {}
  ~SimConnection() override { link_.database().keep(std::move(session_), link_.scheduler().now()); }

  bool is_usable() const noexcept override { return !is_broken_; }
  bool needs_reset() const noexcept override { return session_->is_dirty; }
  Task<Result<void>> reset(Instant deadline) override;
  Task<Result<void>> check(Instant deadline) override;
  Task<bool> close(Instant deadline) override;

  // A transaction of its user: false if the server did not answer, and the connection is broken.
  bool run_transaction();
  // A statement that takes so long. At the deadline its user gives up: it is cancelled, if the
  // server can be reached and heeds that; otherwise it runs on and the connection is broken.
  Task<Result<void>> run_statement(Duration length, Instant deadline);

  Session& session() { return *session_; }
  const Session& session() const { return *session_; }

 private:
  Task<Result<void>> ask(Instant deadline, bool clears_session);
  bool is_alive();

  Link& link_;
  std::unique_ptr<Session> session_;
  bool is_broken_ = false;  // as far as the client knows
};

class SimConnector : public Connector {
 public:
  explicit SimConnector(Link& link) : link_(link), closing_(link.scheduler()) {}

  Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                    Instant deadline) override;
  void close() override;

 protected:
  // Tests give theirs a bug.
  virtual std::unique_ptr<SimConnection> make_connection(Link& link);

 private:
  Link& link_;
  Condition closing_;
  bool is_closed_ = false;
};

}  // namespace forebay::sim
