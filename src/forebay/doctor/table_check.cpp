#include "forebay/doctor/table_check.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "forebay/coordination/leases/lease_table.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::doctor {
namespace {

constexpr Duration kSlow = std::chrono::milliseconds(200);
// What goes wrong without the table, by what it is for.
std::string consequence(const TableFacts& facts) {
  std::string text;
  const auto add = [&](std::string_view purpose, std::string_view what) {
    if (facts.purpose.find(purpose) == std::string::npos) return;
    text += fmt::format("{}{}", text.empty() ? "" : "; ", what);
  };
  add("leases", "no lease can be had, so no connection is opened (refill failures lease_acquire)");
  add("rate", "no permit can be had, so no connection is opened (refill failures rate_limit)");
  add("ids", "no node number can be had, so no ids are made");
  return text;
}

std::string setup_command(const std::string& table) {
  return fmt::format("\"forebay leases setup --table {}\"", table);
}

// False: looking further makes no sense.
bool check_state(const TableFacts& facts, Notebook& notebook) {
  if (!facts.state) return true;
  const aws::TableState& state = *facts.state;
  const std::string name = fmt::format("table {} ({})", facts.table, facts.purpose);
  if (!state.exists) {
    notebook.error(fmt::format("{} does not exist", name), consequence(facts),
                   fmt::format("create it with {} (docs/coordination.md), or correct the name or "
                               "the region",
                               setup_command(facts.table)));
    return false;
  }
  if (!state.has_right_key) {
    notebook.error(fmt::format("{} has the key {} and not the text \"pk\" alone", name, state.key),
                   "it is not a table of ours, and requests to it fail",
                   fmt::format("name another table, or create one with {}", setup_command("NAME")));
    return false;
  }
  if (!state.is_active) {
    notebook.warning(fmt::format("{} is being created or deleted", name), consequence(facts),
                     "wait, and look again");
    return false;
  }
  notebook.ok(fmt::format("{} is there; its key is right", name));
  if (state.billing_mode == "PROVISIONED") {
    notebook.note(fmt::format("table {} has provisioned capacity", facts.table),
                  "a restart of many processes writes more in a second than in an hour of peace; "
                  "what is above the capacity is refused "
                  "(ProvisionedThroughputExceededException)",
                  "switch to on-demand billing, or provide for a restart of all processes");
  }
  return true;
}

void check_ttl(const TableFacts& facts, Notebook& notebook) {
  if (!facts.ttl) return;
  if (facts.ttl->is_enabled && facts.ttl->attribute == kTtlAttribute) {
    notebook.ok(fmt::format("TTL of table {} is on for {}", facts.table, kTtlAttribute));
    return;
  }
  notebook.warning(
      fmt::format("TTL of table {} is not on for {}", facts.table, kTtlAttribute),
      "items of the past stay for ever: the table grows, and looking through it gets slow and dear",
      fmt::format("enable TTL on {}: {} does it", kTtlAttribute, setup_command(facts.table)));
}

void check_speed(const TableFacts& facts, Duration request_timeout, Notebook& notebook) {
  const std::string what =
      fmt::format("table {} answers in {}", facts.table, readable_time(facts.latency));
  if (facts.latency * 2 > request_timeout) {
    notebook.warning(
        what,
        fmt::format("requests may take {}; leases may not be renewed in time",
                    duration_text(request_timeout)),
        "check the network and the region of the table, or raise cluster.request_timeout");
  } else if (facts.latency > kSlow) {
    notebook.note(what, "each connection opened or closed may wait for it",
                  "use a table in the service's own region");
  } else {
    notebook.ok(what);
  }
}

void check_rights(const TableFacts& facts, Duration request_timeout, Notebook& notebook) {
  if (facts.read_failure) {
    notebook.error(facts.read_failure->text(), consequence(facts),
                   "check the network, the region, and the IAM policy (docs/coordination.md)");
    return;
  }
  check_speed(facts, request_timeout, notebook);
  std::set<std::string> told;
  for (const Error& refusal : facts.refusals) {
    if (!told.insert(refusal.text()).second) continue;
    if (refusal.code() == Errc::refused) {
      notebook.error(refusal.text(), "leases and permits are counted there with every change",
                     "allow dynamodb:GetItem, BatchGetItem, Scan, PutItem, UpdateItem and "
                     "DeleteItem on the table (docs/coordination.md)");
    } else {
      notebook.warning(refusal.text(), "whether the service may do it could not be seen",
                       "look again; if it stays, see the table's throttling, its size and the "
                       "network");
    }
  }
  if (facts.refusals.empty())
    notebook.ok(fmt::format("table {} may be read and written", facts.table));
  // A service needs no right to describe its table.
  for (const std::optional<Error>& failure : {facts.state_failure, facts.ttl_failure}) {
    if (failure) notebook.note(failure->text(), "only this check needs it: the service does not");
  }
}

}  // namespace

std::vector<ClusterTable> tables_of(const std::string& leases, const std::string& rate,
                                    const std::string& ids) {
  std::vector<ClusterTable> tables;
  const std::array<std::pair<const std::string*, const char*>, 3> wanted{
      {{&leases, "leases"}, {&rate, "rate"}, {&ids, "ids"}}};
  for (const auto& [table, purpose] : wanted) {
    if (table->empty()) continue;
    const auto known = std::ranges::find(tables, *table, &ClusterTable::table);
    if (known == tables.end()) {
      tables.emplace_back(*table, purpose);
    } else {
      known->purpose.append(", ").append(purpose);
    }
  }
  return tables;
}

Findings check_table(const TableFacts& facts, Duration request_timeout) {
  Notebook notebook("table");
  if (!check_state(facts, notebook)) return notebook.take();
  check_ttl(facts, notebook);
  check_rights(facts, request_timeout, notebook);
  return notebook.take();
}

}  // namespace forebay::doctor
