#include "forebay/sim/proxies/wire_server.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/sim/postgres/client_script.hpp"

namespace forebay::sim {
namespace {

// From when a server is handed out until the first word of its user has come to it.
constexpr Duration kOnTheWay = std::chrono::seconds(1);

// A session that is dropped in the middle of what it says next dies within so many bytes.
constexpr std::uint64_t kLastOfSession = 400;

}  // namespace

struct WireServer::WireSession final : Session {
  std::uint32_t number = 0;
  int last_client = 0;
  bool has_failed = false;  // it will never begin
};

WireServer::WireServer(const WireServerParts& parts, SimScheduler& scheduler,
                       StreamNetwork& network, std::uint64_t seed)
    : parts_(parts), scheduler_(scheduler), random_(seed), server_(scheduler, seed + 1, *this) {
  for (std::size_t i = 0; i < parts_.processes.size(); ++i)
    processes_.emplace(parts_.processes[i].name, static_cast<int>(i));
  server_.listen(network, place());
}

WireServer::~WireServer() = default;

void WireServer::stall_until(Instant end) {
  stalled_until_ = std::max(stalled_until_, end);
  server_.stall_until(end);
}

void WireServer::add_client(SimClient& client, const ProxySpec& spec) {
  KnownClient known;
  known.client = &client;
  known.has_query_limit = spec.query_limit != Duration::max();
  clients_.emplace(client.number(), known);
}

bool WireServer::take_cancel(const std::string& sql) {
  const auto found = cancels_.find(sql);
  if (found == cancels_.end()) return false;
  if (--found->second == 0) cancels_.erase(found);
  return true;
}

Instant WireServer::last_cut_of(int process) const {
  const auto found = cuts_.find(process);
  return found == cuts_.end() ? Instant::min() : found->second;
}

int WireServer::process_at(const std::string& from) const {
  const auto found = processes_.find(from.substr(0, from.rfind(':')));
  FOREBAY_CHECK(found != processes_.end(), from);
  return found->second;
}

// ---- sessions

std::string WireServer::on_connect(std::uint32_t number, const std::string& from) {
  const int process = process_at(from);
  auto session = std::make_unique<WireSession>();
  session->number = number;
  touched_.insert(process);
  const Admission admission = parts_.database.admit(*session, process, scheduler_.now());
  if (admission != Admission::accepted) return std::string(refusal_at_door(admission).sqlstate());
  session->holder = this;
  sessions_.emplace(number, std::move(session));
  return {};
}

Duration WireServer::connect_time(std::uint32_t number) {
  const Duration time = parts_.database.draw_connect_time();
  const bool fails = parts_.database.draw_connect_failure();
  const auto found = sessions_.find(number);
  if (fails && found != sessions_.end()) {
    found->second->has_failed = true;
    server_.die_after(number, 0);
  }
  return time;
}

void WireServer::on_ready(std::uint32_t number) {
  WireSession& session = *sessions_.at(number);
  if (!session.has_failed) parts_.database.finish_handshake(session, scheduler_.now());
  touched_.insert(session.process);
}

// Whoever ended it.
void WireServer::on_end(std::uint32_t number) {
  WireSession& session = *sessions_.at(number);
  touched_.insert(session.process);
  parts_.database.end_held(session, scheduler_.now());
  sessions_.erase(number);
}

// The database counts it no longer: it has lived too long, or nobody is there any more.
void WireServer::on_ended(Session& session) {
  cuts_[session.process] = scheduler_.now();
  server_.kill(static_cast<WireSession&>(session).number);
}

void WireServer::drop(Session& session) {
  const std::uint32_t number = static_cast<WireSession&>(session).number;
  cuts_[session.process] = scheduler_.now();
  switch (random_.below(3)) {
    case 0: server_.kill(number); break;
    case 1: server_.terminate(number); break;
    default: server_.die_after(number, random_.below(kLastOfSession)); break;
  }
}

// ---- what is said in them

void WireServer::on_message(std::uint32_t number, char type, const std::string& sql, Instant done) {
  WireSession& session = *sessions_.at(number);
  parts_.trace.add(TraceEvent::taken, type, scheduler_.now(), number);
  session.busy_until = done;
  const int client = marked_client(sql);
  if (client == 0) return;
  check_use(session, client);
  session.last_client = client;
}

void WireServer::check_use(const WireSession& session, int client) {
  const std::string state = server_.session(session.number)->state_text();
  if (has_mark_of_another(state, client)) {
    parts_.book.note_broken(Promise::clean, session.process,
                            fmt::format("client {} is in a session with {}", client, state));
  }
  const bool is_new_stay = session.last_client != client && session.last_client != 0;
  if (is_new_stay) check_age(session, client);
}

void WireServer::check_age(const WireSession& session, int client) {
  const auto process = static_cast<std::size_t>(session.process);
  const ServiceSpec& spec = parts_.processes[process];
  const Duration oldest = spec.base_lifetime + spec.jitter / 2 - spec.guard_window;
  const auto excused = excused_.find(session.process);
  Instant since = std::max(session.opened_at, stalled_until_);
  if (excused != excused_.end()) since = std::max(since, excused->second);
  if (scheduler_.now() - since <= oldest + kOnTheWay) return;
  parts_.book.note_broken(
      Promise::freshness, session.process,
      fmt::format("client {} was given a session that was {} old; with its guard window no life "
                  "is longer than {}",
                  client, readable_time(scheduler_.now() - session.opened_at),
                  readable_time(oldest)));
}

void WireServer::on_violation(std::uint32_t number, const std::string& what) {
  const auto found = sessions_.find(number);
  const int process = found == sessions_.end() ? -1 : found->second->process;
  parts_.book.note_broken(Promise::clean, process, fmt::format("session {}: {}", number, what));
}

// ---- cancels

bool WireServer::on_cancel_request(const std::string& from) {
  const bool is_let_in = parts_.database.admit_cancel(process_at(from), scheduler_.now());
  return is_let_in && parts_.database.spec().heeds_cancels;
}

void WireServer::on_cancelled(std::uint32_t number, const std::string& sql) {
  parts_.trace.add(TraceEvent::fault, 1, scheduler_.now(), number);
  ++cancels_[sql];
  const auto known = clients_.find(marked_client(sql));
  if (known == clients_.end() || known->second.has_query_limit) return;
  if (known->second.client->may_be_cancelled(sql)) return;
  parts_.book.note_broken(Promise::clean, sessions_.at(number)->process,
                          fmt::format("a cancel hit what it was not meant for: {}", sql));
}

}  // namespace forebay::sim
