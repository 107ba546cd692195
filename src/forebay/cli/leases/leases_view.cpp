#include "forebay/cli/leases/leases_view.hpp"

#include <algorithm>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "forebay/base/json_writer.hpp"
#include "forebay/base/readable_time.hpp"
#include "forebay/cli/text/text_block.hpp"
#include "forebay/coordination/leases/lease_table.hpp"

namespace forebay::cli {
namespace {

constexpr int kServiceColumn = 2;
constexpr int kCountEnd = 38;  // the column in which numbers of connections end
constexpr int kAgeColumn = 41;
constexpr int kRenewedColumn = 53;
constexpr int kIdColumn = 67;

std::int64_t whole_seconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

// Clocks differ: what lies ahead is now.
std::string age_text(Duration age) {
  return readable_time(std::chrono::seconds(std::max<std::int64_t>(0, whole_seconds(age))));
}

std::string number_of(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : many);
}

std::string connections(int count) {
  return number_of(static_cast<std::size_t>(std::max(0, count)), "connection", "connections");
}

// Those who hold most first; equal ones by name, so that the picture stands still.
std::vector<LeaseRecord> ordered(std::vector<LeaseRecord> leases) {
  std::ranges::sort(leases, [](const LeaseRecord& a, const LeaseRecord& b) {
    return a.held != b.held ? a.held > b.held : a.id < b.id;
  });
  return leases;
}

// Clients of the older kind have a record for each connection; one line for each service will do.
struct OldHolder {
  std::string service;
  int held = 0;
  WallTime oldest = WallTime::max();
};

std::vector<OldHolder> old_holders(const std::vector<LeaseRecord>& leases) {
  std::vector<OldHolder> holders;
  for (const LeaseRecord& lease : leases) {
    if (lease.is_renewed) continue;
    auto found = std::ranges::find(holders, lease.service, &OldHolder::service);
    if (found == holders.end()) found = holders.insert(holders.end(), OldHolder{lease.service});
    found->held += lease.held;
    found->oldest = std::min(found->oldest, lease.created_at);
  }
  return holders;
}

void keep_row(TextBlock& block, const std::string& service, const std::string& count,
              const std::string& age, const std::string& renewed, const std::string& id,
              Colour colour = Colour::plain) {
  StyledLine line = block.line().to_column(kServiceColumn);
  line.add(service, colour);
  line.to_column(kCountEnd - static_cast<int>(count.size())).add(count, colour);
  line.to_column(kAgeColumn).add(age, colour);
  line.to_column(kRenewedColumn).add(renewed, colour).to_column(kIdColumn).add(id, colour);
  block.keep(line);
}

void keep_holders(const LeasesReport& report, TextBlock& block) {
  keep_row(block, "service", "connections", "age", "heard of", "lease", Colour::dim);
  for (const LeaseRecord& lease : ordered(report.listing.leases)) {
    if (!lease.is_renewed) continue;
    keep_row(block, lease.service, grouped(static_cast<std::uint64_t>(lease.held)),
             age_text(report.now - lease.created_at),
             age_text(report.now - lease.renewed_at) + " ago", lease.id);
  }
  for (const OldHolder& holder : old_holders(report.listing.leases)) {
    keep_row(block, holder.service, grouped(static_cast<std::uint64_t>(holder.held)),
             age_text(report.now - holder.oldest), "never", "of the older kind, one each");
  }
}

std::string verdict(const LeasesReport& report) {
  const int surplus = report.surplus();
  if (surplus == 0) return "they add up";
  if (surplus < 0)
    return fmt::format("the counter has {} too few; the next process that looks sets it right",
                       -surplus);
  return fmt::format(
      "the counter has {} more: connections of older clients whose leases have run out, or a count "
      "that was left behind; it is set right when it has lasted for 65 minutes, or at once by "
      "\"forebay leases reap --recount\" if no older client runs",
      surplus);
}

JsonObject json_of(const LeaseRecord& lease, WallTime now) {
  JsonObject json;
  json.add("service", lease.service).add("lease", lease.id).add("connections", lease.held);
  json.add("age_seconds", whole_seconds(now - lease.created_at)).add("renewed", lease.is_renewed);
  return json.add("silent_seconds", whole_seconds(now - lease.renewed_at));
}

}  // namespace

std::string leases_text(const LeasesReport& report, const TextStyle& style) {
  TextBlock block(style);
  block.keep(block.line().add(fmt::format("Leases of {}", report.endpoint), Colour::bold));
  block.keep(
      block.line().add(fmt::format("table {}, {}", report.table, report.region), Colour::dim));
  block.blank();
  std::string counter = connections(report.listing.active);
  if (report.limit)
    counter += fmt::format(" of {}", grouped(static_cast<std::uint64_t>(*report.limit)));
  block.keep_named("counter", counter);
  const std::size_t count = report.listing.leases.size();
  block.keep_named("leases",
                   fmt::format("{} for {}: {}", number_of(count, "lease", "leases"),
                               connections(report.listing.held_in_all()), verdict(report)));
  if (!report.ttl.is_enabled || report.ttl.attribute != kTtlAttribute)
    block.keep_named("warning",
                     fmt::format("TTL is not on for {}, so items of the past stay for ever; "
                                 "\"forebay leases setup --table {}\" switches it on",
                                 kTtlAttribute, report.table));
  if (count > 0) {
    block.blank();
    keep_holders(report, block);
  }
  return block.text();
}

std::string leases_json(const LeasesReport& report) {
  using std::chrono::milliseconds;
  JsonList leases;
  for (const LeaseRecord& lease : ordered(report.listing.leases))
    leases.add(json_of(lease, report.now));
  JsonObject json;
  json.add("table", report.table).add("endpoint", report.endpoint).add("region", report.region);
  json.add("time_ms", report.now.time_since_epoch() / milliseconds(1));
  json.add("counter", report.listing.active).add("held", report.listing.held_in_all());
  json.add("limit", report.limit).add("adds_up", report.surplus() == 0);
  json.add("ttl", report.ttl.is_enabled && report.ttl.attribute == kTtlAttribute);
  return json.add("leases", leases).text() + "\n";
}

std::string leases_line(const LeasesReport& report) {
  const auto seconds = std::chrono::time_point<std::chrono::system_clock, std::chrono::seconds>(
      std::chrono::floor<std::chrono::seconds>(report.now.time_since_epoch()));
  return fmt::format("{:%FT%TZ} counter {}, {} hold {}{}\n", seconds, report.listing.active,
                     number_of(report.listing.leases.size(), "lease", "leases"),
                     report.listing.held_in_all(),
                     report.surplus() == 0 ? "" : ", which does not add up");
}

}  // namespace forebay::cli
