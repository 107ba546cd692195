// Session state that cannot follow a client from server to server: what is done about it, and what
// the next user of the server must not find.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "forebay/proxy/session/client_session.hpp"
#include "forebay/proxy/session/session_refusal.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "forebay/wire/protocol/violation.hpp"

namespace forebay::proxy {

using wire::Leftover;
using wire::Leftovers;

namespace {

// Fails on any server, whatever it is: in a transaction it must fail there, too.
constexpr std::string_view kFails = "refused by the pool of connections";
constexpr std::string_view kNeverThere = "forebay_refused";

// Of these nothing else than the session itself can be kept.
constexpr std::array kPinning{Leftover::cursors, Leftover::channels, Leftover::locks,
                              Leftover::temporary};

constexpr auto kPins = std::to_array<std::pair<PinKind, Leftover>>({
    {PinKind::listen, Leftover::channels},
    {PinKind::temporary, Leftover::temporary},
    {PinKind::lock, Leftover::locks},
    {PinKind::cursor, Leftover::cursors},
    {PinKind::prepare, Leftover::prepared},
    {PinKind::set, Leftover::settings},
    {PinKind::load, Leftover::everything},
});

std::string_view state_name(Leftovers pins) {
  if (pins.has(Leftover::prepared)) return "PREPARE";
  if (pins.has(Leftover::cursors)) return "a cursor WITH HOLD";
  if (pins.has(Leftover::channels)) return "LISTEN";
  if (pins.has(Leftover::locks)) return "an advisory lock of the session";
  if (pins.has(Leftover::temporary)) return "a temporary table";
  if (pins.has(Leftover::settings)) return "a parameter that the server does not report";
  return "LOAD";
}

}  // namespace

std::string_view name(PinKind kind) {
  static constexpr std::array<std::string_view, kPinKinds> kNames{
      "listen", "temporary", "lock", "cursor", "prepare", "set", "load"};
  return kNames[static_cast<std::size_t>(kind)];
}

wire::ErrorReport refusal(Leftovers pins) {
  if (pins.empty()) return wire::function_call_refusal();
  std::string message(state_name(pins));
  message += " is session state, and does not go with transaction pooling";
  return {wire::Severity::error, wire::kNotSupported, std::move(message),
          "Use it inside one transaction, if there is such a form (SET LOCAL, "
          "pg_advisory_xact_lock); or let the pool keep a server for such a session."};
}

// Empty: nothing that it leaves needs this very server.
Leftovers ClientSession::pins_of(const wire::StatementReading& reading) const {
  Leftovers pins;
  for (const Leftover kind : kPinning)
    if (reading.leftovers.has(kind)) pins.add(kind);
  if (reading.prepares) pins.add(Leftover::prepared);
  if (reading.loads) pins.add(Leftover::everything);
  for (const wire::SettingChange& change : reading.settings) {
    if (change.is_reset) continue;
    const bool follows = !change.name.empty() && !is_fixed_parameter(change.name) &&
                         find_parameter(server_->reported, change.name) != server_->reported.end();
    if (!follows) pins.add(Leftover::settings);
  }
  return pins;
}

void ClientSession::mark(const wire::StatementReading& reading, Leftovers pins) {
  Leftovers left = pins;
  for (const Leftover kind : {Leftover::sequences, Leftover::everything})
    if (reading.leftovers.has(kind)) left.add(kind);
  server_->leftovers.add(left);
  if (pins.empty() || shared_.rules.on_session_state != OnSessionState::pin) return;
  if (pins_.empty()) ++shared_.counters.pins;
  for (const auto& [kind, leftover] : kPins) {
    if (!pins.has(leftover) || pins_.has(leftover)) continue;
    ++shared_.counters.pins_by_kind[static_cast<std::size_t>(kind)];
  }
  pins_.add(pins);
}

// A portal of such a statement comes to be: what it does, it will do on this server.
void ClientSession::mark_bound(std::string_view portal, const wire::StatementReading& reading,
                               Output& out) {
  mark(reading, pins_of(reading));
  std::erase_if(dropping_portals_, [portal](const auto& one) { return one.first == portal; });
  if (may_restore(reading)) {
    if (reading.discards_all) resets_.push_back({.name = {}, .is_reset = true});
    resets_.insert(resets_.end(), reading.settings.begin(), reading.settings.end());
  }
  for (const std::string& name : reading.executes) {
    if (const StatementRef* const statement = statements_.find(name))
      bring_under_own_name(name, (*statement)->body(), Whose::swallowed, out);
  }
  std::vector<std::string> names;
  for (const std::string& name : reading.deallocates) {
    const StatementRef* const statement = statements_.find(name);
    if (statement == nullptr) continue;
    bring_under_own_name(name, (*statement)->body(), Whose::swallowed, out);
    names.push_back(name);
  }
  if (!names.empty() || reading.deallocates_all || reading.discards_all)
    dropping_portals_.emplace_back(portal, std::move(names));
}

// True: it is not to be done, and the client hears so in its place.
bool ClientSession::try_refuse(char type, Leftovers pins, Output& out) {
  if (pins.empty() || shared_.rules.on_session_state != OnSessionState::refuse) return false;
  ++shared_.counters.refusals;
  refuse(type, pins, out);
  return true;
}

void ClientSession::refuse(char type, Leftovers pins, Output& out) {
  if (is_free()) {
    wire::write_error(out.to_client, refusal(pins));
    if (type == 'P') {
      is_skipping_ = true;
    } else {
      wire::write_ready_for_query(out.to_client, wire::TransactionStatus::idle);
    }
    return;
  }
  // The server fails in its place, so that what comes after it is as after any error.
  if (type == 'P') {
    wire::write_parse(out.to_server, kNeverThere, kFails);
  } else {
    wire::write_query(out.to_server, kFails);
    server_->unnamed_there = 0;
    type = 'Q';
  }
  Expected& expected = expect(type, Whose::client);
  expected.is_refusal = true;
  expected.refused = pins;
}

bool ClientSession::may_restore(const wire::StatementReading& reading) const {
  if (parameters_.start().empty()) return false;
  return reading.discards_all ||
         std::ranges::any_of(reading.settings, &wire::SettingChange::is_reset);
}

// The server went back to its own defaults; the client's are those that it began with.
void ClientSession::restore(const std::vector<wire::SettingChange>& changes, Output& out) {
  const std::string sql = parameters_.restoring_sql(changes);
  if (sql.empty()) return;
  wire::write_query(out.to_server, sql);
  expect('Q', Whose::silent).is_restoring = true;
  ++restores_;
  server_->unnamed_there = 0;
}

}  // namespace forebay::proxy
