#include "forebay/pool/gate.hpp"

namespace forebay {

Gate::Gate(Exchange& exchange, Connector& connector, const PoolOptions& options,
           ConnectPacer* pacer)
    : exchange_(exchange),
      connector_(connector),
      options_(options),
      pacer_(pacer),
      closing_(exchange.scheduler()) {}

void Gate::close() {
  is_closed_ = true;
  closing_.notify_all();
  connector_.close();
}

Task<Opening> Gate::open(ConnectionSlot& slot) {
  Scheduler& scheduler = exchange_.scheduler();
  Instant place{};
  if (pacer_ != nullptr) {
    place = pacer_->take(scheduler.now());
    if (!is_closed_) co_await closing_.wait_until(place);
  }
  const Instant started = scheduler.now();
  const bool is_wanted = !is_closed_ && exchange_.ask([&](const PoolState& state) {
    return state.is_still_wanted(slot, started);
  });
  if (!is_wanted) {
    if (pacer_ != nullptr) pacer_->give_back(place);
    co_return Opening(GateOutcome::not_wanted);
  }

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
