#include "forebay/pool/pool.hpp"

#include <atomic>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/pool/acquire_blocking.hpp"
#include "forebay/pool/errand.hpp"
#include "forebay/pool/pool_control.hpp"
#include "forebay/pool/pool_defaults.hpp"
#include "forebay/pool/pool_log.hpp"
#include "forebay/pool/retire_signal.hpp"
#include "forebay/pool/rules_of.hpp"
#include "forebay/pool/supplier.hpp"

namespace forebay {
namespace {

// Where connections may have to be gone at short notice, what happens to one takes at most half of
// it, because its close comes after. How long that takes is up to the server: its place, and its
// lease, are kept until then.
PoolOptions checked(PoolOptions options, const PoolSharing& sharing) {
  const RetireSignal* const retire = sharing.retire;
  options = completed(std::move(options));
  if (options.service.empty()) options.service = sharing.service;
  const OptionProblems wrong = problems(options);
  FOREBAY_CHECK(wrong.empty(), invalid_options(wrong).text());
  if (retire != nullptr) {
    options.connect_timeout = std::min(options.connect_timeout, retire->notice() / 2);
    options.reset_timeout = std::min(options.reset_timeout, retire->notice() / 2);
    options.check_timeout = std::min(options.check_timeout, retire->notice() / 2);
    options.cancel_timeout = std::min(options.cancel_timeout, retire->notice() / 2);
  }
  return options;
}

}  // namespace

struct Pool::Parts {
  Parts(Env world, Connector& connector, PoolOptions pool_options, PoolSharing sharing)
      : env(world),
        options(checked(std::move(pool_options), sharing)),
        log(options, connector.server(), sharing.budget != nullptr),
        retire(sharing.retire),
        exchange(rules_of(options), sharing.budget, world.scheduler),
        gate(exchange, connector, options,
             GateSources{sharing.leases, sharing.tokens, permits_of(sharing)}),
        supplier(world, exchange, gate, options, log) {
    if (retire != nullptr) retire->join(exchange);
  }
  ~Parts() {
    if (retire != nullptr) retire->leave(exchange);
  }

  PermitSource* permits_of(const PoolSharing& sharing) {
    if (sharing.permits != nullptr) return sharing.permits;
    if (sharing.pacer == nullptr && *options.connect_rate <= 0) return nullptr;
    if (sharing.pacer == nullptr) pacer.emplace(*options.connect_rate, *options.connect_burst);
    local_permits.emplace(env.scheduler, sharing.pacer != nullptr ? *sharing.pacer : *pacer);
    return &*local_permits;
  }

  const Env env;
  const PoolOptions options;
  const PoolLog log;
  RetireSignal* const retire;
  std::optional<ConnectPacer> pacer;
  std::optional<LocalPermits> local_permits;
  Exchange exchange;
  Gate gate;
  Supplier supplier;
  std::atomic<std::uint64_t> opens = 0;  // a number for the log; nothing depends on its order
  bool is_started = false;
  bool is_gone = false;
};

Pool::Pool(Env env, Connector& connector, PoolOptions options, PoolSharing sharing)
    : parts_(std::make_unique<Parts>(env, connector, std::move(options), sharing)) {}

Pool::~Pool() {
  if (parts_->exchange.is_in_child()) {
    leave_to_parent(std::move(parts_));
    return;
  }
  if (!parts_->is_started) parts_->exchange.close(DiscardReason::closed);
  FOREBAY_CHECK(!parts_->is_started || parts_->is_gone, "a pool died before close() was done");
}

void Pool::launch() {
  Parts& parts = *parts_;
  FOREBAY_CHECK(!parts.is_started, "a pool is started once");
  parts.is_started = true;
  start_detached(parts.env.scheduler, parts.supplier.run());
}

Task<bool> Pool::start() { return fill(InitialFailure::keep_trying); }

Task<Result<bool>> Pool::start_or_fail() {
  Parts& parts = *parts_;
  parts.exchange.decide([](PoolState& state, WakeList&) { state.begin_first_try(); });
  const bool is_filled = co_await fill(InitialFailure::fail_fast);
  std::optional<Error> refusal = parts.exchange.refusal();
  if (!is_filled && refusal) co_return failure(std::move(*refusal));
  co_return is_filled;
}

Task<bool> Pool::fill(InitialFailure on_failure) {
  Parts& parts = *parts_;
  const Instant begun = parts.env.scheduler.now();
  const Instant deadline = deadline_after(begun, parts.options.initial_fill_limit);
  launch();
  const bool is_filled = co_await parts.supplier.wait_filled(deadline, on_failure);
  const Instant now = parts.env.scheduler.now();
  if (!is_filled && now >= deadline && !parts.exchange.is_closed())
    parts.log.fill_timed_out(parts.exchange.statistics(), now - begun);
  co_return is_filled;
}

Acquire Pool::acquire(Until until, std::source_location from) {
  return Acquire(parts_->exchange, here(parts_->env.scheduler), until, from);
}

Acquire Pool::acquire_on(Scheduler& scheduler, Until until, std::source_location from) {
  return Acquire(parts_->exchange, scheduler, until, from);
}

Result<PooledConnection> Pool::acquire_blocking(Duration timeout, std::source_location from) {
  Exchange& exchange = parts_->exchange;
  if (exchange.is_in_child()) return failure(used_after_fork());
  if (ConnectionSlot* slot = exchange.try_take(from, exchange.home_of_thread())) {
    return Result<PooledConnection>(std::in_place, exchange, *slot, Holder::thread);
  }
  return wait_blocking(exchange, timeout, from);
}

Result<PooledConnection> Pool::acquire_for(Errand& errand) {
  Exchange& exchange = parts_->exchange;
  if (exchange.is_in_child()) return failure(used_after_fork());
  if (ConnectionSlot* slot = exchange.try_take(errand.place(), exchange.home_of_thread())) {
    return Result<PooledConnection>(std::in_place, exchange, *slot, Holder::thread);
  }
  return wait_for_errand(exchange, errand);
}

std::optional<PooledConnection> Pool::take_ready(Holder holder, const std::source_location& from) {
  bool calls_supplier = false;
  std::optional<PooledConnection> taken = take_ready(holder, from, calls_supplier);
  if (calls_supplier) call_supplier();
  return taken;
}

std::optional<PooledConnection> Pool::take_ready(Holder holder, const std::source_location& from,
                                                 bool& calls_supplier) {
  if (parts_->exchange.is_in_child()) return std::nullopt;
  Exchange& exchange = parts_->exchange;
  const int home = holder == Holder::thread ? exchange.home_of_thread() : exchange.home_of_task();
  const Exchange::Taken taken = exchange.take_now(from, home);
  calls_supplier = taken.calls_supplier;
  if (taken.slot == nullptr) return std::nullopt;
  return std::optional<PooledConnection>(std::in_place, exchange, *taken.slot, holder);
}

void Pool::call_supplier() { parts_->exchange.call_supplier(); }

std::optional<PooledConnection> Pool::try_acquire(std::source_location from) {
  std::optional<PooledConnection> taken = take_ready(Holder::loop, from);
  if (!taken && !parts_->exchange.is_in_child()) parts_->exchange.note_unserved();
  return taken;
}

Task<Result<PooledConnection>> Pool::open(std::source_location from) {
  const Instant deadline = deadline_after(parts_->env.scheduler.now(), parts_->options.open_wait);
  Acquire acquiring = acquire(deadline, from);
  Result<PooledConnection> opened = co_await acquiring;
  if (opened) note_open();
  co_return opened;
}

Result<PooledConnection> Pool::open_blocking(std::source_location from) {
  Result<PooledConnection> opened = acquire_blocking(parts_->options.open_wait, from);
  if (opened) note_open();
  return opened;
}

void Pool::note_open() {
  const std::uint64_t opens = parts_->opens.fetch_add(1, std::memory_order_relaxed) + 1;
  if (log::is_on(log::Level::debug)) parts_->log.checked_out(gauges(), opens);
}

Result<void> Pool::resize(const PoolSize& size) {
  PoolOptions resized = parts_->options;
  resized.size = completed(size, parts_->options.size);
  const OptionProblems wrong = problems(resized);
  if (!wrong.empty()) return failure(invalid_options(wrong));
  parts_->exchange.resize(rules_of(resized));
  return {};
}

void Pool::retire_all(DiscardReason reason) { parts_->exchange.condemn_all(reason); }

int Pool::shed(int most) { return parts_->exchange.shed(most); }

void Pool::set_yields(int yields) { parts_->exchange.set_yields(yields); }

void Pool::give_up() { parts_->exchange.give_up(); }

void Pool::stop(DiscardReason reason) { parts_->exchange.close(reason); }

Task<bool> Pool::close(Instant deadline) {
  Parts& parts = *parts_;
  parts.exchange.close(DiscardReason::closed);
  if (parts.is_started) parts.is_gone = co_await parts.supplier.wait_gone(deadline);
  co_return parts.is_gone || !parts.is_started;
}

bool Pool::is_closed() const { return parts_->exchange.is_closed(); }

const std::string& Pool::name() const { return parts_->options.name; }

Duration Pool::call_timeout() const { return parts_->options.call_timeout; }

std::optional<std::string_view> Pool::service() const {
  const std::string& service = parts_->options.service;
  return service.empty() ? std::nullopt : std::optional<std::string_view>(service);
}

PoolGauges Pool::gauges() const { return parts_->exchange.gauges(); }

PoolStatistics Pool::statistics() const { return parts_->exchange.statistics(); }

std::vector<LeakReport> Pool::lent() const { return parts_->exchange.lent(); }

std::optional<LeakReport> Pool::lent_to_this_thread() const {
  return parts_->exchange.lent_to_this_thread();
}

bool Pool::is_in_child() const { return parts_->exchange.is_in_child(); }

void Pool::audit() const { parts_->exchange.audit(); }

Task<bool> PoolControl::permit_cancel(Until until) {
  return pool_.parts_->gate.permit_cancel(until);
}

}  // namespace forebay
