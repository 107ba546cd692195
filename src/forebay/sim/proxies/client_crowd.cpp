#include "forebay/sim/proxies/client_crowd.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/sim/proxies/client_habits.hpp"
#include "forebay/sim/scenario/scenario_limits.hpp"

namespace forebay::sim {
namespace {

// Beside the wait for a server and the statement itself: resets, fits, cancels that have to be
// over, and bytes that come one by one.
constexpr Duration kToAnswer = std::chrono::seconds(5);

// Cancels that are on their way, and sessions that are cleared, are over within that.
constexpr Duration kToNotice = std::chrono::seconds(10);

// What the server ended is heard of within that.
constexpr Duration kNews = std::chrono::seconds(1);

}  // namespace

ClientCrowd::ClientCrowd(WireSide& side, Trace& trace, PromiseBook& book, const Proxy& proxy,
                         std::uint64_t seed)
    : side_(side),
      trace_(trace),
      book_(book),
      proxy_(proxy),
      random_(seed),
      faults_(client_faults(proxy.spec.proxy)),
      tasks_(side.clients()) {
  SimClientWatch& watch = *this;
  for (int i = 1; i <= proxy_.spec.proxy.clients; ++i) {
    // Numbers are unique in the world.
    const int number = proxy_.process * kMostClients + i;
    SimClientOptions options = client_options(proxy_.spec.proxy, number, random_);
    options.proxy = proxy_.place;
    clients_.push_back(std::make_unique<SimClient>(side_.clients(), side_.client_host(), options,
                                                   faults_, random_.next(), watch));
    side_.server().add_client(*clients_.back(), proxy_.spec.proxy);
  }
}

ClientCrowd::~ClientCrowd() {
  for (const auto& client : clients_) side_.server().remove_client(*client);
  FOREBAY_CHECK(tasks_.running() == 0, "simulated clients outlived their world");
}

void ClientCrowd::start() {
  if (has_started_) return;
  has_started_ = true;
  for (const auto& client : clients_) tasks_.spawn(client->run());
}

void ClientCrowd::stop() {
  stopped_at_ = std::min(stopped_at_, side_.clients().now());
  for (const auto& client : clients_) client->stop();
}

void ClientCrowd::look() {
  if (stopped_at_ == kNever && side_.clients().now() >= Instant(proxy_.spec.proxy.until)) stop();
}

bool ClientCrowd::are_gone() const {
  return tasks_.running() == 0 && side_.clients().now() >= deadline_after(stopped_at_, kToNotice);
}

void ClientCrowd::set_served(bool is_served) {
  is_served_ = is_served;
  if (is_served) served_since_ = side_.clients().now();
}

// ---- what they see

void ClientCrowd::on_wrong(const SimClient& client, const std::string& what) {
  book_.note_broken(Promise::clean, proxy_.process,
                    fmt::format("client {}: {}", client.number(), what));
}

void ClientCrowd::on_lost(const SimClient& client, const std::string& why) {
  trace_.add(TraceEvent::unserved, client.number(), side_.clients().now());
  ++lost_;
  if (may_lose(why)) return;
  book_.note_broken(
      Promise::every_waiter_ends, proxy_.process,
      fmt::format("client {} lost its session for nothing: {}", client.number(), why));
}

// By a fault, because the server ended a session, or by a limit of the proxy. Where servers are
// kept by others it may get none to begin with.
bool ClientCrowd::may_lose(const std::string& why) const {
  const Instant now = side_.clients().now();
  const ProxySpec& spec = proxy_.spec.proxy;
  const bool has_limits =
      spec.idle_limit != Duration::max() || spec.read_limit != proxy::ClientLimits().client_write;
  return side_.may_lose_sessions() || !is_served_ || now - kNews <= served_since_ || has_limits ||
         why.starts_with("53300") || now - kNews <= side_.server().last_cut_of(proxy_.process);
}

void ClientCrowd::on_heard(const SimClient& client, char type, std::string_view body) {
  std::uint64_t hash = static_cast<unsigned char>(type);
  for (const char letter : body)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211u;
  trace_.add(TraceEvent::given_back, client.number(), side_.clients().now(), hash);
}

void ClientCrowd::check_progress() const {
  const Duration patience =
      proxy_.spec.proxy.query_wait + proxy_.spec.proxy.statement_time + kToAnswer;
  const Instant now = side_.clients().now();
  if (!is_served_ || now - served_since_ <= patience) return;
  for (const auto& client : clients_) {
    const Instant since = client->waiting_since();
    if (since == kNever || now - since <= patience) continue;
    book_.note_broken(Promise::supply, proxy_.process,
                      fmt::format("client {} has had no answer for {} in a healthy world",
                                  client->number(), readable_time(now - since)));
  }
}

// A caller is a statement, or what else is sent up to a Sync.
WorkCounts ClientCrowd::work() const {
  WorkCounts work;
  for (const auto& client : clients_) {
    work.started += client->sent();
    work.completed += client->units() - client->unserved();
    work.failed += client->unserved() + client->dropped();
  }
  return work;
}

ClientFigures ClientCrowd::figures() const {
  ClientFigures figures;
  figures.clients = static_cast<int>(clients_.size());
  figures.lost = lost_;
  for (const auto& client : clients_) {
    figures.log_ins += client->lives();
    figures.units += client->units();
    figures.unserved += client->unserved();
    figures.cancelled += client->cancelled();
  }
  return figures;
}

}  // namespace forebay::sim
