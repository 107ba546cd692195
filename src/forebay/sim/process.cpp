#include "forebay/sim/process.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/sim/scenario/service_pool.hpp"

namespace forebay::sim {

namespace {

std::unique_ptr<ClientCrowd> make_clients(const WorldParts& parts, const ServiceSpec& spec,
                                          int index) {
  if (!is_proxy(spec)) return nullptr;
  const ClientCrowd::Proxy proxy{spec, index, SimProxy::place(spec)};
  return std::make_unique<ClientCrowd>(*parts.wires, parts.trace, parts.book, proxy,
                                       parts.wires->random().next());
}

}  // namespace

Process::Process(WorldParts parts, ServiceSpec spec, int index)
    : parts_(parts),
      spec_(std::move(spec)),
      index_(index),
      clients_(make_clients(parts_, spec_, index_)),
      expected_open_(sim::expected_open(spec_)) {}

Process::~Process() { kill(); }

void Process::kill() {
  if (life_ != nullptr && !life_->has_ended()) life_->die();
  life_.reset();
  if (clients_ != nullptr) clients_->stop();
}

void Process::start() {
  if (life_ != nullptr) return;
  const Instant now = parts_.timeline.now();
  parts_.store.begin_life(index_);
  life_ = std::make_unique<Life>(parts_, spec_, index_, ++lives_, skew_, work_, waits_);
  life_->set_clients(clients_.get());
  life_->set_link(is_store_cut_, is_database_cut_);
  life_->set_storms(storms_);
  is_wanted_ = true;
  is_stopping_ = false;
  was_drained_ = false;
  is_at_target_ = false;
  parts_.database.set_stopped(index_, false);
  if (!started_at_) started_at_ = now;
  parts_.trace.add(TraceEvent::started, index_, now);
  life_->start();
}

void Process::stop(bool comes_back) {
  if (!is_up()) return;
  comes_back_ = comes_back;
  is_wanted_ = comes_back;
  is_stopping_ = true;
  was_drained_ = true;
  is_at_target_ = !comes_back;
  if (clients_ != nullptr) clients_->set_served(false);
  parts_.database.set_stopped(index_, true);
  parts_.trace.add(TraceEvent::stopped, index_, parts_.timeline.now());
  life_->begin_end();
}

// The machine closes the sockets of a dead process. The server notices that at once, or where it is
// busy, when it looks.
void Process::crash(bool comes_back) {
  if (life_ == nullptr) return;
  const Instant now = parts_.timeline.now();
  parts_.trace.add(TraceEvent::crashed, index_, now);
  is_at_target_ = false;
  comes_back_ = false;
  is_wanted_ = comes_back;
  was_drained_ = false;
  if (clients_ != nullptr) clients_->set_served(false);
  const Instant gone = parts_.database.lose_process(index_, now);
  parts_.store.note_died(index_, gone);
  end_life();
}

void Process::end_life() {
  const PoolCounters counters = life_->counters();
  const std::uint64_t permit_waits = life_->permit_waits();
  if (const SimProxy* const proxy = life_->proxy()) {
    past_stays_ += proxy->stays();
    past_pins_ += proxy->pins();
  }
  if (!life_->has_ended()) life_->die();
  life_.reset();
  frozen_life_ = nullptr;
  excused_until_ = kNever;
  parts_.store.end_life(index_);
  add(past_, counters);
  past_permit_waits_ += permit_waits;
  is_stopping_ = false;
  open_ = 0;
}

void Process::set_skew(Duration skew) {
  skew_ = skew;
  if (life_ != nullptr) life_->set_skew(skew);
}

void Process::set_link(bool is_store_cut, bool is_database_cut) {
  is_store_cut_ = is_store_cut;
  is_database_cut_ = is_database_cut;
  if (life_ != nullptr) life_->set_link(is_store_cut, is_database_cut);
}

// Only what runs stands still, not what starts meanwhile.
bool Process::set_frozen(bool is_frozen) {
  if (is_frozen == is_frozen_) return false;
  is_frozen_ = is_frozen;
  if (life_ == nullptr || life_->has_ended()) return false;
  if (is_frozen) frozen_life_ = life_.get();
  if (frozen_life_ != life_.get()) return false;
  life_->set_frozen(is_frozen);
  parts_.store.set_excused(index_, true);
  excused_until_ =
      is_frozen ? kNever : parts_.timeline.now() + parts_.scenario.coordination.lease_ttl;
  if (!is_frozen) frozen_life_ = nullptr;
  return !is_frozen;
}

void Process::set_storms(std::vector<TenantStorm> storms) {
  storms_ = std::move(storms);
  if (life_ != nullptr) life_->set_storms(storms_);
}

void Process::after_step() {
  if (life_ == nullptr) return;
  parts_.database.advance(parts_.timeline.now());
  if (parts_.timeline.now() > excused_until_) {
    parts_.store.set_excused(index_, false);
    excused_until_ = kNever;
  }
  if (life_->has_ended()) {
    if (const int sessions = parts_.database.sessions_of(index_); sessions > 0) {
      parts_.book.note_broken(Promise::cap, index_,
                              fmt::format("{} sessions outlived their process", sessions));
    }
    end_life();
    if (comes_back_) {
      start();
    } else if (clients_ != nullptr) {
      clients_->stop();
    }
    return;
  }
  const PoolGauges gauges = life_->quick_gauges();
  check(gauges);
  track(gauges);
}

void Process::check(const PoolGauges& gauges) {
  const int counted =
      gauges.ready + gauges.lent + gauges.cleaning + gauges.opening + gauges.closing;
  const int sessions = parts_.database.sessions_of(index_);
  if (counted > gauges.max || gauges.approved > gauges.max || sessions > gauges.approved) {
    parts_.book.note_broken(
        Promise::cap, index_,
        fmt::format("the pool counts {} connections and {} approvals, the server {} sessions; "
                    "max is {}",
                    counted, gauges.approved, sessions, gauges.max));
  }
  life_->check_deadlines();
  if (parts_.store.has_cap())
    parts_.store.check_leases(index_, sessions, life_->lease_overhang(), parts_.book);
}

void Process::look_at_clients(bool is_world_healthy) {
  if (clients_ == nullptr) return;
  clients_->look();
  if (is_world_healthy) clients_->check_progress();
}

void Process::check_idle() const {
  if (clients_ == nullptr || !is_up() || !clients_->are_gone()) return;
  const std::string left = life_->proxy()->left_of_clients();
  if (!left.empty()) parts_.book.note_broken(Promise::every_waiter_ends, index_, left);
}

void Process::track(const PoolGauges& gauges) {
  open_ = std::min(gauges.open(), parts_.database.open_of(index_));
  const Instant now = parts_.timeline.now();
  if (is_stopping_) return;
  is_at_target_ = open_ >= expected_open_;
  if (is_full(gauges)) last_full_ = now;
  if (!converged_at_) {
    if (is_at_target_) converged_at_ = now;
  } else if (!is_at_target_ && !unstable_at_ &&
             now <= *converged_at_ + parts_.scenario.assertions.stable_for) {
    unstable_at_ = now;
    open_when_unstable_ = open_;
  }
}

// A reservoir is full when its target is ready, in the server's eyes too, or when it has no room
// for more.
bool Process::is_full(const PoolGauges& gauges) const {
  if (spec_.supply != Supply::reservoir || spec_.tenants.count > 0) return is_at_target_;
  const int live = parts_.database.open_of(index_);
  const int idle = std::min(gauges.ready + gauges.cleaning, live - gauges.lent);
  return idle >= gauges.target_ready || (live >= gauges.max && gauges.opening == 0);
}

PoolCounters Process::counters() const {
  PoolCounters sum = past_;
  if (life_ != nullptr) add(sum, life_->counters());
  return sum;
}

ProcessEnd Process::end() const {
  if (!started_at_) return ProcessEnd::not_started;
  if (is_up()) return ProcessEnd::up;
  return was_drained_ ? ProcessEnd::drained : ProcessEnd::down;
}

Sample Process::sample() const {
  Sample sample;
  sample.at = parts_.timeline.now().time_since_epoch();
  const PoolGauges gauges = life_ != nullptr ? life_->gauges() : PoolGauges();
  sample.is_up = is_up();
  sample.target = is_up() ? expected_open_ : 0;
  sample.ready = gauges.ready;
  sample.lent = gauges.lent;
  sample.opening = gauges.opening;
  sample.cleaning = gauges.cleaning;
  sample.closing = gauges.closing;
  sample.waiters = gauges.waiters;
  sample.leases = parts_.store.held_by(index_);

  const PoolCounters total = counters();
  sample.acquired = total.acquired;
  sample.empty_events = total.empty;
  sample.timeouts = total.timeouts;
  sample.opened = total.opened;
  sample.open_failures = total.open_failures();
  sample.permit_waits = past_permit_waits_ + (life_ != nullptr ? life_->permit_waits() : 0);
  const WorkCounts work = clients_ != nullptr ? clients_->work() : work_;
  sample.work_started = work.started;
  sample.work_completed = work.completed;
  sample.work_failed = work.failed;
  std::ranges::transform(total.discards, sample.discards.begin(),
                         [](std::uint64_t count) { return static_cast<std::uint32_t>(count); });
  return sample;
}

std::optional<ClientFigures> Process::client_figures() const {
  if (clients_ == nullptr) return std::nullopt;
  ClientFigures figures = clients_->figures();
  const SimProxy* const proxy = life_ != nullptr ? life_->proxy() : nullptr;
  figures.stays = past_stays_ + (proxy != nullptr ? proxy->stays() : 0);
  figures.pins = past_pins_ + (proxy != nullptr ? proxy->pins() : 0);
  return figures;
}

std::string Process::text() const {
  const std::string state = life_ == nullptr ? "down" : life_->text();
  return fmt::format("{}: {}; the server counts {} sessions; {}", spec_.name, state,
                     parts_.database.sessions_of(index_), parts_.store.text_of(index_));
}

}  // namespace forebay::sim
