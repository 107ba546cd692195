#include "forebay/pool/gate.hpp"

#include <exception>

#include "forebay/base/misuse.hpp"
#include "forebay/env/race.hpp"

namespace forebay {
namespace {

// A process that was stopped for a while, or has too little of the processor, wakes up when its
// place in the rate has passed. Used then, it would meet the places that others took since.
constexpr Duration kLateness = std::chrono::milliseconds(250);
constexpr int kPlaces = 3;
constexpr const char* kTooBusy =
    "this process was too busy to start three connects within 250 ms of their time";

constexpr const char* kLeaseEnded =
    "the lease ended before its connect could start: this process did not run, or could not reach "
    "the lease store, for longer than the ttl; the next attempt asks for a new one";

Opening without_lease() {
  return Opening(OpenFailure::lease_acquire, Error(Errc::timed_out, kLeaseEnded));
}

// What to do is said where it is known which of the two it was.
void explain_expired_token(FailedOpen& failed, bool has_source) {
  const char* const advice =
      has_source ? "; a fresh token was refused in the same way, so the clock of this machine is "
                   "probably wrong: compare it with a time server (timedatectl) and correct it"
                 : "; the password in the connection string is a token that has run out: give the "
                   "pool a token source (PoolSharing::tokens), which makes a fresh one each time";
  failed.error = failed.error.with_text(failed.error.text() + advice);
}

}  // namespace

Gate::Gate(Exchange& exchange, Connector& connector, const PoolOptions& options,
           GateSources sources)
    : exchange_(exchange),
      connector_(connector),
      options_(options),
      sources_(sources),
      closing_(exchange.scheduler()) {}

void Gate::close() {
  closing_.cancel();
  connector_.close();
}

// The lease goes back with the slot.
Task<Opening> Gate::open(ConnectionSlot& slot) {
  const bool is_lasting = co_await settle(slot);
  if (!is_lasting) co_return Opening(GateOutcome::not_wanted);
  if (sources_.leases != nullptr) {
    Task<Result<Lease>> asking = sources_.leases->acquire(admission_deadline());
    std::optional<Result<Lease>> lease = co_await race(std::move(asking), closing_);
    if (!lease) co_return Opening(GateOutcome::not_wanted);
    if (!*lease) co_return Opening(OpenFailure::lease_acquire, lease->error());
    slot.lease = std::move(**lease);
  }
  std::string token;
  Opening opening = co_await attempt(slot, token);
  if (opening.has_expired_token() && sources_.tokens != nullptr) {
    sources_.tokens->reject(token);
    opening = co_await attempt(slot, token);
  }
  if (opening.has_expired_token())
    explain_expired_token(*opening.failed, sources_.tokens != nullptr);
  co_return opening;
}

// A caller who takes a connection and is back in a moment leaves a gap for that moment. It is not
// worth a question to the cluster, nor its place in the rate; a caller that waits is.
Task<bool> Gate::settle(const ConnectionSlot& slot) {
  const Duration time =
      sources_.permits == nullptr ? Duration::zero() : sources_.permits->settling_time();
  if (time == Duration::zero() || closing_.is_cancelled()) co_return true;
  if (exchange_.ask([](const PoolState& state) { return state.waiters() > 0; })) co_return true;
  co_await closing_.wait_until(exchange_.scheduler().now() + time);
  co_return is_still_wanted(slot);
}

Task<Opening> Gate::attempt(ConnectionSlot& slot, std::string& token) {
  if (sources_.tokens != nullptr) {
    Task<Result<std::string>> asking = sources_.tokens->token(admission_deadline());
    std::optional<Result<std::string>> made = co_await race(std::move(asking), closing_);
    if (!made) co_return Opening(GateOutcome::not_wanted);
    if (!*made) co_return Opening(OpenFailure::token_provider, made->error());
    token = std::move(**made);
  }
  PermitSource* const permits = sources_.permits;
  if (permits == nullptr) {
    if (!is_still_wanted(slot)) co_return Opening(GateOutcome::not_wanted);
    if (!slot.lease.stands()) co_return without_lease();
    co_return co_await connect(slot, token);
  }
  for (int round = 0; round < kPlaces; ++round) {
    const std::optional<Result<Instant>> place = co_await reserve(admission_deadline(), closing_);
    if (!place) co_return Opening(GateOutcome::not_wanted);
    if (!*place) co_return Opening(OpenFailure::rate_limit, place->error());
    const Instant start = **place;
    co_await closing_.wait_until(start);
    if (!is_still_wanted(slot)) {
      permits->give_back(start);
      co_return Opening(GateOutcome::not_wanted);
    }
    if (!slot.lease.stands()) {
      permits->give_back(start);
      co_return without_lease();
    }
    if (exchange_.scheduler().now() - start <= kLateness) co_return co_await connect(slot, token);
    permits->give_back(start);
  }
  co_return Opening(OpenFailure::rate_limit, Error(Errc::timed_out, kTooBusy));
}

// A place that comes when nobody waits for it any more goes back.
Task<std::optional<Result<Instant>>> Gate::reserve(Instant deadline, Cancellation& stop) {
  PermitSource* const permits = sources_.permits;
  std::function<void(Result<Instant>&)> late = [permits](Result<Instant>& start) {
    if (start) permits->give_back(*start);
  };
  return race(permits->reserve(deadline), stop, std::move(late));
}

Task<bool> Gate::permit_cancel(Until until) {
  PermitSource* const permits = sources_.permits;
  if (permits == nullptr) co_return true;
  Cancellation& stop = until.cancellation() != nullptr ? *until.cancellation() : closing_;
  const std::optional<Result<Instant>> place = co_await reserve(until.deadline(), stop);
  if (!place || !*place) co_return false;
  const Instant start = **place;
  if (start <= until.deadline()) co_await stop.wait_until(start);
  const Instant now = exchange_.scheduler().now();
  const bool is_time = now >= start && now - start <= kLateness && !stop.is_cancelled();
  if (!is_time) permits->give_back(start);
  co_return is_time;
}

bool Gate::is_still_wanted(const ConnectionSlot& slot) const {
  if (closing_.is_cancelled()) return false;
  const Instant now = exchange_.scheduler().now();
  return exchange_.ask([&](const PoolState& state) { return state.is_still_wanted(slot, now); });
}

Instant Gate::admission_deadline() const {
  return deadline_after(exchange_.scheduler().now(), options_.admission_timeout);
}

Task<Opening> Gate::connect(ConnectionSlot& slot, std::string password) {
  const Scheduler& scheduler = exchange_.scheduler();
  const Instant started = scheduler.now();
  const Instant deadline = deadline_after(started, options_.connect_timeout);
  Result<std::unique_ptr<Connection>> connected =
      co_await connector_.connect(std::move(password), deadline);
  if (!connected) co_return Opening(OpenFailure::connection_open, connected.error());
  slot.connection = std::move(*connected);
  Opening opening(GateOutcome::opened);
  opening.connect_time = scheduler.now() - started;

  if (options_.after_connect) {
    const Result<void> accepted = co_await prepare(*slot.connection, deadline);
    if (!accepted) {
      opening.outcome = GateOutcome::failed;
      opening.failed.emplace(OpenFailure::after_connect, accepted.error());
    }
  }
  co_return opening;
}

Task<Result<void>> Gate::prepare(Connection& connection, Instant deadline) {
  connection.set_held(true);
  Result<void> accepted = co_await run_hook(connection, deadline);
  connection.set_held(false);
  if (accepted) accepted = connection.mark_prepared();
  co_return accepted;
}

// What the application throws is its verdict on this connection, not the end of the process.
Task<Result<void>> Gate::run_hook(Connection& connection, Instant deadline) {
  std::exception_ptr thrown;
  try {
    Result<void> accepted = co_await options_.after_connect(connection, deadline);
    co_return accepted;
  } catch (...) {
    thrown = std::current_exception();
  }
  co_return failure(
      Errc::invalid,
      "the hook after_connect of the application threw an exception: " + text_of(thrown));
}

}  // namespace forebay
