// Pool: connections that are ready before they are needed, and never one too many.
//
// Built with valid options on an Env, started once, closed once. acquire(), try_acquire(), open(),
// resize(), statistics() and lent() may be called from any thread; start() and close() are tasks of
// the pool's scheduler. Tasks of every loop of its runtime acquire, and use what they get, on their
// own loop. The pool outlives its handles, and its connector and Env outlive the pool.
// In a child after fork() nobody is served, with Errc::closed, and nothing is closed.
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/share.hpp"
#include "forebay/env/env.hpp"
#include "forebay/pool/acquire.hpp"
#include "forebay/pool/options.hpp"
#include "forebay/pool/pooled_connection.hpp"
#include "forebay/pool/statistics.hpp"

namespace forebay {

class Budget;
class ConnectPacer;
class Errand;
class LeaseSource;
class PermitSource;
class RetireSignal;
class TokenSource;

// What pools may share, in a process and over a cluster; null means of its own. All outlive their
// pools. A pool that closes does not wait for leases, permits and tokens that it has asked for:
// their sources also outlive those answers, for admission_timeout or until they are closed
// themselves.
struct PoolSharing {
  Budget* budget = nullptr;         // one cap over all pools of the process
  ConnectPacer* pacer = nullptr;    // one rate over those of one scheduler
  LeaseSource* leases = nullptr;    // one cap over the cluster
  PermitSource* permits = nullptr;  // one rate over the cluster; the pacer is then not asked
  TokenSource* tokens = nullptr;    // the password of each connect; else the connector's own
  RetireSignal* retire = nullptr;   // tells when everything that is open has to go
  Share owner = nullptr;            // of all these; a PostgresPool keeps it until its own end
  std::string_view service = {};    // whose pools these are, in logs
};

class Pool {
 public:
  // REQUIRES: problems(options) is empty.
  Pool(Env env, Connector& connector, PoolOptions options, PoolSharing sharing = {});
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  // REQUIRES: never started, or close() has said true.
  ~Pool();

  // Starts filling. Ends when the low watermark is reached, true, or when initial_fill_limit has
  // passed or warm-up has given up, false: the pool then goes on filling, and a warning says so.
  Task<bool> start();
  // The same, but one connection is opened before all others, and one in any case. If that is
  // refused in a way that waiting does not mend, it ends at once with Errc::refused and what the
  // server said; the pool is then to be closed.
  Task<Result<bool>> start_or_fail();
  // The same without waiting for anything, from any thread.
  void launch();

  // Awaited by the task that calls: of any loop of the runtime, or of the scheduler given. With a
  // cancellation of that loop in the Until, a caller who is cancelled leaves the line at once:
  // Errc::cancelled.
  Acquire acquire(Until until, std::source_location from = std::source_location::current());
  Acquire acquire_on(Scheduler& scheduler, Until until,
                     std::source_location from = std::source_location::current());
  // For threads. On that of a loop it is Errc::invalid if it would have to wait.
  Result<PooledConnection> acquire_blocking(
      Duration timeout, std::source_location from = std::source_location::current());
  std::optional<PooledConnection> try_acquire(
      std::source_location from = std::source_location::current());
  // As a driver's open(): waits for PoolOptions::open_wait, and then gives up.
  Task<Result<PooledConnection>> open(std::source_location from = std::source_location::current());
  Result<PooledConnection> open_blocking(
      std::source_location from = std::source_location::current());

  // The sizes in force from now on; max and keep_open stay as at the start if it does not say them.
  // What is lent above a smaller max is closed when it comes back.
  Result<void> resize(const PoolSize& size);

  // Everything that is open or opening now is closed, what is lent when it comes back, and
  // replaced.
  void retire_all(DiscardReason reason);

  // Nobody is served any more: waiters get Errc::closed, what is ready is closed now,
  // what is lent when it comes back. True: everything is gone. False: the deadline passed;
  // call it again.
  Task<bool> close(Instant deadline);
  // Places of sessions that the server has not let go of are no longer kept, whatever the options
  // say: for a process that ends. From any thread.
  void give_up();

  bool is_closed() const;  // nobody is served any more
  const std::string& name() const;
  Duration call_timeout() const;                    // PoolOptions::call_timeout
  std::optional<std::string_view> service() const;  // as the log has it
  PoolGauges gauges() const;
  PoolStatistics statistics() const;
  std::vector<LeakReport> lent() const;  // longest first
  // One that this very thread took or used last: to wait for it here would be to wait for ever.
  std::optional<LeakReport> lent_to_this_thread() const;
  bool is_in_child() const;  // the process was forked since
  void audit() const;        // stops the process if the books do not add up

 private:
  friend class PoolControl;  // for those who run many of them

  std::optional<PooledConnection> take_ready(Holder holder, const std::source_location& from);
  std::optional<PooledConnection> take_ready(Holder holder, const std::source_location& from,
                                             bool& calls_supplier);
  void call_supplier();
  Result<PooledConnection> acquire_for(Errand& errand);
  int shed(int most);
  void set_yields(int yields);
  void stop(DiscardReason reason);
  Task<bool> fill(InitialFailure on_failure);

  struct Parts;
  void note_open();
  std::unique_ptr<Parts> parts_;
};

}  // namespace forebay
