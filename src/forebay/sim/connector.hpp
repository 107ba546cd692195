// The driver of simulated processes: sessions of the simulated database, over a network that can
// be cut and in a process that can die.
#pragma once

#include <memory>
#include <vector>

#include "forebay/env/cancellation.hpp"
#include "forebay/env/sim/sim_loops.hpp"
#include "forebay/pool/connection.hpp"
#include "forebay/sim/database.hpp"

namespace forebay::sim {

// One process's way to the database.
class Link {
 public:
  Link(const SimLoops& loops, SimDatabase& database, int process)
      : scheduler_(loops.first()), database_(database), process_(process) {
    for (int i = 0; i < loops.size(); ++i)
      deaths_.push_back(std::make_unique<Cancellation>(loops.at(i)));
  }

  Scheduler& scheduler() const { return scheduler_; }
  SimDatabase& database() const { return database_; }
  int process() const { return process_; }

  bool is_up() const { return !is_cut_ && !is_dead(); }
  bool is_dead() const { return deaths_.front()->is_cancelled(); }
  void set_cut(bool is_cut) {
    is_cut_ = is_cut;
    database_.set_cut(process_, is_cut, scheduler_.now());
  }
  // The process has died: whatever it still asks is answered at once, with a failure.
  void die() {
    for (const auto& death : deaths_) death->cancel();
  }
  // Ends when the time has passed, or at once when the process dies; on the loop of the task that
  // waits.
  Cancellation::Wait wait(Instant until) {
    return deaths_[static_cast<std::size_t>(here(scheduler_).loop())]->wait_until(until);
  }

 private:
  Scheduler& scheduler_;
  SimDatabase& database_;
  const int process_;
  std::vector<std::unique_ptr<Cancellation>> deaths_;  // one for each loop
  bool is_cut_ = false;
};

class SimConnection : public Connection {
 public:
  explicit SimConnection(Link& link) : link_(link), session_(std::make_unique<Session>()) {}
  ~SimConnection() override { link_.database().keep(std::move(session_), link_.scheduler().now()); }

  bool is_usable() const noexcept override { return !is_broken_ && !is_interrupted_; }
  bool needs_reset() const noexcept override { return session_->is_dirty; }
  bool needs_cancel() const noexcept override { return is_interrupted_ && !is_broken_; }
  Task<Result<void>> cancel(Instant deadline) override;
  Task<Result<void>> reset(Instant deadline) override;
  Task<Result<void>> check(Instant deadline) override;
  Task<bool> close(Instant deadline) override;

  // A transaction of its user: false if the server did not answer, and the connection is broken.
  bool run_transaction();
  // A statement of that length. At the deadline its user gives up: it runs on, and is for the pool
  // to cancel, if the server knows that; otherwise the connection is broken.
  Task<Result<void>> run_statement(Duration length, Instant deadline);

  Session& session() { return *session_; }
  const Session& session() const { return *session_; }

 private:
  Task<Result<void>> ask(Instant deadline, bool clears_session);
  bool is_alive();

  Link& link_;
  std::unique_ptr<Session> session_;
  bool is_broken_ = false;       // as far as the client knows
  bool is_interrupted_ = false;  // its user gave up on a statement
};

class SimConnector : public Connector {
 public:
  explicit SimConnector(Link& link) : link_(link), closing_(link.scheduler()) {}

  Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                    Instant deadline) override;
  void close() override { closing_.cancel(); }

 protected:
  // Tests give theirs a bug.
  virtual std::unique_ptr<SimConnection> make_connection(Link& link);

 private:
  Link& link_;
  Cancellation closing_;
};

}  // namespace forebay::sim
