// Gate: the one place where a physical connection is opened, for whatever purpose.
//
// What is free to give back comes first, what perishes comes last: the approval is in the
// slot when it comes here, then a lease (the cluster may have one more), then a token (who we are),
// then a permit (now is allowed), then the connect. Whatever was taken goes back when a later step
// fails. The wait for a permit may be long, and a process may be stopped for longer than its lease
// lasts: the lease is asked again just before the connect. A connect whose token had run out is
// tried once more, with a fresh token and a permit of its own, because the server counts each
// attempt. Cancels pass here too, for their permit. Confined to the pool's scheduler.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "forebay/env/cancellation.hpp"
#include "forebay/env/until.hpp"
#include "forebay/pool/admission.hpp"
#include "forebay/pool/exchange.hpp"
#include "forebay/pool/options.hpp"
#include "forebay/pool/token_source.hpp"

namespace forebay {

enum class GateOutcome : std::uint8_t {
  opened,      // the connection is in the slot
  not_wanted,  // what came back in the meantime made it needless, or the pool closed
  failed,      // if there is a connection in the slot, it is to be closed
};

class Opening {
 public:
  explicit Opening(GateOutcome result) : outcome(result) {}
  Opening(OpenFailure step, Error error)
      : outcome(GateOutcome::failed), failed(std::in_place, step, std::move(error)) {}

  bool has_expired_token() const {
    return failed && failed->reason == OpenFailure::connection_open &&
           failed->error.code() == Errc::token_expired;
  }

  GateOutcome outcome;
  std::optional<FailedOpen> failed;
  Duration connect_time{};  // when it opened
};

// Each may be null: no limit, and the connector's own password. All may be shared with other pools
// of the scheduler, and outlive what was asked of them (env/race.hpp).
struct GateSources {
  LeaseSource* leases = nullptr;
  TokenSource* tokens = nullptr;
  PermitSource* permits = nullptr;
};

class Gate {
 public:
  Gate(Exchange& exchange, Connector& connector, const PoolOptions& options, GateSources sources);

  Task<Opening> open(ConnectionSlot& slot);
  // A cancel is a connect that the server does not count as a session: it takes a permit, and
  // neither approval nor lease. True: now. With a cancellation, it is that which ends the wait
  // early, and not the gate's own end.
  Task<bool> permit_cancel(Until until);
  // Has the application's hook make a new connection, or one that was reset, what its users expect.
  // REQUIRES: there is one.
  Task<Result<void>> prepare(Connection& connection, Instant deadline);
  void close();  // ends what is in flight early
  Cancellation& closing() { return closing_; }
  void give_up() { connector_.give_up(); }

 private:
  Task<bool> settle(const ConnectionSlot& slot);
  // When a connect may start. Nothing: it was stopped first. REQUIRES: there are permits.
  Task<std::optional<Result<Instant>>> reserve(Instant deadline, Cancellation& stop);
  // With a token, which it leaves in its argument.
  Task<Opening> attempt(ConnectionSlot& slot, std::string& token);
  Task<Opening> connect(ConnectionSlot& slot, std::string password);
  Task<Result<void>> run_hook(Connection& connection, Instant deadline);
  bool is_still_wanted(const ConnectionSlot& slot) const;
  Instant admission_deadline() const;

  Exchange& exchange_;
  Connector& connector_;
  const PoolOptions& options_;
  const GateSources sources_;
  Cancellation closing_;
};

}  // namespace forebay
