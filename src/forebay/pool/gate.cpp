#include "forebay/pool/gate.hpp"

namespace forebay {

Gate::Gate(Exchange& exchange, Connector& connector, const PoolOptions& options,
           LeaseSource* leases, PermitSource* permits)
    : exchange_(exchange),
      connector_(connector),
      options_(options),
      leases_(leases),
      permits_(permits),
      closing_(exchange.scheduler()) {}

void Gate::close() {
  is_closed_ = true;
  closing_.notify_all();
  connector_.close();
}

Task<Opening> Gate::open(ConnectionSlot& slot) {
  const Scheduler& scheduler = exchange_.scheduler();
  if (leases_ != nullptr) {
    const Instant deadline = deadline_after(scheduler.now(), options_.admission_timeout);
    Result<Lease> lease = co_await leases_->acquire(deadline);
    if (!lease) co_return Opening(GateOutcome::failed, "no lease: " + lease.error().text());
    slot.lease = std::move(*lease);
  }
  if (permits_ == nullptr) {
    if (!is_still_wanted(slot)) co_return Opening(GateOutcome::not_wanted);
    co_return co_await connect(slot);
  }
  const Instant deadline = deadline_after(scheduler.now(), options_.admission_timeout);
  const Result<Instant> place = co_await permits_->reserve(deadline);
  if (!place) co_return Opening(GateOutcome::failed, "no permit: " + place.error().text());
  if (!is_closed_) co_await closing_.wait_until(*place);
  if (!is_still_wanted(slot)) {
    permits_->give_back(*place);
    co_return Opening(GateOutcome::not_wanted);
  }
  co_return co_await connect(slot);
}

bool Gate::is_still_wanted(const ConnectionSlot& slot) const {
  if (is_closed_) return false;
  const Instant now = exchange_.scheduler().now();
  return exchange_.ask([&](const PoolState& state) { return state.is_still_wanted(slot, now); });
}

Task<Opening> Gate::connect(ConnectionSlot& slot) {
  const Scheduler& scheduler = exchange_.scheduler();
  const Instant started = scheduler.now();
  const Instant deadline = deadline_after(started, options_.connect_timeout);
  Result<std::unique_ptr<Connection>> connected = co_await connector_.connect(deadline);
  if (!connected) co_return Opening(GateOutcome::failed, connected.error().text());
  slot.connection = std::move(*connected);
  Opening opening(GateOutcome::opened);
  opening.connect_time = scheduler.now() - started;

  if (options_.after_connect) {
    Result<void> accepted = co_await options_.after_connect(*slot.connection, deadline);
    if (!accepted) {
      opening.outcome = GateOutcome::failed;
      opening.error = "the after-connect hook refused it: " + accepted.error().text();
    }
  }
  co_return opening;
}

}  // namespace forebay
