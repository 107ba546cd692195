#include "forebay/pool/pool.hpp"

#include <fmt/format.h>

#include "forebay/base/check.hpp"
#include "forebay/pool/pool_log.hpp"
#include "forebay/pool/retire_signal.hpp"
#include "forebay/pool/supplier.hpp"

namespace forebay {
namespace {

std::string join(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "; "));
}

// Where connections may have to be gone at short notice, what happens to one takes at most half of
// it, because its close comes after. How long that takes is up to the server.
PoolOptions checked(PoolOptions options, const RetireSignal* retire) {
  const std::vector<std::string> wrong = problems(options);
  FOREBAY_CHECK(wrong.empty(), join(wrong));
  if (retire != nullptr) {
    options.connect_timeout = std::min(options.connect_timeout, retire->notice() / 2);
    options.reset_timeout = std::min(options.reset_timeout, retire->notice() / 2);
    options.check_timeout = std::min(options.check_timeout, retire->notice() / 2);
  }
  return options;
}

}  // namespace

struct Pool::Parts {
  Parts(Env world, Connector& connector, PoolOptions pool_options, PoolSharing sharing)
      : env(world),
        options(checked(std::move(pool_options), sharing.retire)),
        log(options),
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
    if (sharing.pacer == nullptr && options.connect_rate <= 0) return nullptr;
    if (sharing.pacer == nullptr) pacer.emplace(options.connect_rate, options.connect_burst);
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

Task<bool> Pool::start() {
  Parts& parts = *parts_;
  const Instant begun = parts.env.scheduler.now();
  launch();
  const bool is_filled =
      co_await parts.supplier.wait_filled(deadline_after(begun, parts.options.initial_fill_limit));
  if (!is_filled && !parts.exchange.is_closed())
    parts.log.fill_timed_out(parts.exchange.statistics(), parts.env.scheduler.now() - begun);
  co_return is_filled;
}

Acquire Pool::acquire(Instant deadline, std::source_location from) {
  return Acquire(parts_->exchange, parts_->env.scheduler, deadline, from);
}

Acquire Pool::acquire_on(Scheduler& scheduler, Instant deadline, std::source_location from) {
  return Acquire(parts_->exchange, scheduler, deadline, from);
}

Result<PooledConnection> Pool::acquire_blocking(Duration timeout, std::source_location from) {
  Exchange& exchange = parts_->exchange;
  if (exchange.is_in_child()) return failure(used_after_fork());
  if (ConnectionSlot* slot = exchange.try_take(from)) {
    return Result<PooledConnection>(std::in_place, exchange, *slot, Holder::thread);
  }
  return wait_blocking(exchange, timeout, from);
}

std::optional<PooledConnection> Pool::take_ready(Holder holder, const std::source_location& from) {
  if (parts_->exchange.is_in_child()) return std::nullopt;
  ConnectionSlot* slot = parts_->exchange.try_take(from);
  if (slot == nullptr) return std::nullopt;
  return std::optional<PooledConnection>(std::in_place, parts_->exchange, *slot, holder);
}

std::optional<PooledConnection> Pool::try_acquire(std::source_location from) {
  std::optional<PooledConnection> taken = take_ready(Holder::loop, from);
  if (!taken && !parts_->exchange.is_in_child()) parts_->exchange.note_unserved();
  return taken;
}

Acquire Pool::open(std::source_location from) {
  const Instant deadline = deadline_after(parts_->env.scheduler.now(), parts_->options.open_wait);
  return acquire(deadline, from);
}

Result<PooledConnection> Pool::open_blocking(std::source_location from) {
  return acquire_blocking(parts_->options.open_wait, from);
}

Result<void> Pool::resize(const PoolSize& size) {
  PoolOptions resized = parts_->options;
  resized.size = size;
  const std::vector<std::string> wrong = problems(resized);
  if (!wrong.empty()) return failure(Errc::invalid, join(wrong));
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

const std::string& Pool::name() const { return parts_->options.name; }

PoolGauges Pool::gauges() const { return parts_->exchange.gauges(); }

PoolStatistics Pool::statistics() const { return parts_->exchange.statistics(); }

std::vector<LeakReport> Pool::lent() const { return parts_->exchange.lent(); }

std::optional<LeakReport> Pool::lent_to_this_thread() const {
  return parts_->exchange.lent_to_this_thread();
}

bool Pool::is_in_child() const { return parts_->exchange.is_in_child(); }

void Pool::audit() const { parts_->exchange.audit(); }

}  // namespace forebay
