#include "forebay/cli/leases/leases.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "forebay/base/json_writer.hpp"
#include "forebay/cli/aws_access.hpp"
#include "forebay/cli/command.hpp"
#include "forebay/cli/interrupt.hpp"
#include "forebay/cli/leases/leases_view.hpp"
#include "forebay/cli/text/terminal.hpp"
#include "forebay/coordination/leases/dynamo_lease_store.hpp"
#include "forebay/coordination/leases/lease_reaper.hpp"
#include "forebay/coordination/leases/lease_table.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// Leases of the older kind are none of its business.
constexpr Duration kNoOlderOnes = std::chrono::hours(24 * 3650);
// While waiting for signs of life; often enough to notice that DynamoDB was away.
constexpr Duration kLookEvery = std::chrono::seconds(15);

int fail(const Error& error) {
  std::fputs(fmt::format("forebay leases: {}\n", error.text()).c_str(), stderr);
  return kFailed;
}

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// Somebody must set the others right first.
bool may_pass(const Error& error) {
  return error.code() != Errc::refused && error.code() != Errc::invalid;
}

void draw(Terminal& terminal, const Result<LeaseLook>& look, Instant now) {
  StyledLine line(terminal.style());
  line.add(look ? fmt::format("waiting for a sign of life of {} of them", look->unheard)
                : look.error().text());
  if (look && look->next != kNever)
    line.add(fmt::format(
        "; {} left for the first",
        duration_text(std::chrono::duration_cast<std::chrono::seconds>(look->next - now))));
  terminal.draw({line.text()});
}

// One run of the command: where it looks, and what it was told.
class Leases {
 public:
  Leases(const LeasesOptions& options, AwsAccess& access, Interrupt& interrupt)
      : options_(options),
        access_(access),
        interrupt_(interrupt),
        store_(access.dynamodb(), options.table, options.endpoint) {}

  int setup();
  int show();
  int watch();
  int reap();

 private:
  Result<LeasesReport> look();
  Result<bool> reap_the_silent();
  int print_reaped(const LeasesReport& report) const;
  Result<bool> recount(const LeasesReport& report);

  const LeasesOptions& options_;
  AwsAccess& access_;
  Interrupt& interrupt_;
  DynamoLeaseStore store_;
  int reaped_leases_ = 0;
  int freed_connections_ = 0;
};

int Leases::setup() {
  // A table takes longer to appear than any request.
  const Instant deadline = access_.deadline() + std::chrono::minutes(2);
  const Result<TableSetup> setup = access_.wait_for(
      set_up_table(access_.env(), access_.dynamodb(), options_.table, options_.timeout, deadline));
  if (!setup) return fail(setup.error());
  if (options_.is_json) {
    JsonObject json;
    json.add("table", options_.table).add("region", access_.region());
    json.add("created", !setup->was_there).add("ttl_switched_on", !setup->had_ttl);
    print(json.add("billing", setup->billing_mode).text() + "\n");
    return kDone;
  }
  const bool is_on_demand = setup->billing_mode != "PROVISIONED";
  print(fmt::format("Table {} in {} {}, {}.\nTTL on {} {}.\n", options_.table, access_.region(),
                    setup->was_there ? "exists already" : "was made",
                    is_on_demand ? "billed on demand" : "with provisioned capacity", kTtlAttribute,
                    setup->had_ttl ? "is on already" : "was switched on"));
  return kDone;
}

Result<LeasesReport> Leases::look() {
  Result<LeaseListing> listing = access_.wait_for(store_.list(access_.deadline()));
  if (!listing) return failure(listing.error());
  LeasesReport report(std::move(*listing));
  report.table = options_.table;
  report.endpoint = options_.endpoint;
  report.region = access_.region();
  report.limit = options_.limit;
  report.now = access_.env().wall_clock.now();
  const Result<aws::TtlState> ttl =
      access_.wait_for(access_.dynamodb().describe_ttl(options_.table, access_.deadline()));
  if (!ttl) return failure(ttl.error());
  report.ttl = *ttl;
  return report;
}

int Leases::show() {
  const Result<LeasesReport> report = look();
  if (!report) return fail(report.error());
  print(options_.is_json ? leases_json(*report) : leases_text(*report, output_style()));
  return report->surplus() == 0 ? kDone : kFailed;
}

int Leases::watch() {
  Terminal terminal;
  interrupt_.listen_to_keys(terminal.keys());
  std::string last;
  for (int round = 1;; ++round) {
    const Result<LeasesReport> report = look();
    // A store that is away for a while is a thing to watch, too; at the start it is a mistake.
    if (!report && round == 1) {
      terminal.leave();
      return fail(report.error());
    }
    if (report) last = leases_text(*report, terminal.style());
    if (terminal.is_live() && !options_.is_json) {
      const std::string trouble = report ? "" : "\n" + report.error().text() + "\n";
      std::vector<std::string> lines;
      std::string text = last + trouble;
      for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos;
           at = end + 1)
        lines.push_back(text.substr(at, end - at));
      terminal.draw(lines);
    } else if (report) {
      print(options_.is_json ? leases_json(*report) : leases_line(*report));
    } else {
      fail(report.error());
    }
    if (options_.count && round >= *options_.count) break;
    if (interrupt_.wait(duration_cast<milliseconds>(options_.every))) break;
  }
  terminal.leave();
  if (terminal.is_live()) print(last);
  return kDone;
}

// As every process of the fleet does, until every lease has either been heard of or been silent for
// its time. If DynamoDB was away in between, the watch begins anew: nobody could be heard. False:
// interrupted.
Result<bool> Leases::reap_the_silent() {
  Terminal terminal;
  interrupt_.listen_to_keys(terminal.keys());
  StoreContact contact = StoreContact::for_leases(options_.timeout, options_.ttl);
  LeaseReaper reaper(
      access_.env(), store_, contact,
      ReaperOptions{options_.ttl, options_.ttl, kNoOlderOnes, options_.timeout, false});
  const Duration every = std::min<Duration>(options_.ttl / 4, kLookEvery);
  for (bool is_first = true;; is_first = false) {
    const Result<LeaseLook> look = access_.wait_for(reaper.look(""));
    // A store that is away for a while is waited for; at the start it is a mistake.
    if (!look && is_first) return failure(look.error());
    if (look) {
      reaped_leases_ += look->reaped;
      freed_connections_ += look->connections;
      if (look->trouble && !may_pass(*look->trouble)) return failure(*look->trouble);
      if (look->unheard == 0) return true;
    }
    const Instant now = access_.env().scheduler.now();
    if (terminal.is_live() && !options_.is_json) draw(terminal, look, now);
    const Instant due = std::min(look ? look->next : kNever, now + every);
    const auto pause = duration_cast<milliseconds>(std::max(Duration::zero(), due - now));
    if (interrupt_.wait(pause + milliseconds(1))) return false;
  }
}

Result<bool> Leases::recount(const LeasesReport& report) {
  const RecountRequest request(report.listing.mark, report.listing.held_in_all(), report.now);
  const Result<RecountReply> reply = access_.wait_for(store_.recount(request, access_.deadline()));
  if (!reply) return failure(reply.error());
  return reply->is_done;
}

int Leases::reap() {
  const Result<bool> reaped = reap_the_silent();
  if (!reaped) return fail(reaped.error());
  if (!*reaped) return kInterrupted;
  Result<LeasesReport> after = look();
  if (!after) return fail(after.error());
  if (options_.is_recount && after->surplus() != 0) {
    const Result<bool> done = recount(*after);
    if (!done) return fail(done.error());
    after = look();
    if (!after) return fail(after.error());
  }
  return print_reaped(*after);
}

int Leases::print_reaped(const LeasesReport& report) const {
  const int leases = reaped_leases_;
  const int connections = freed_connections_;
  if (options_.is_json) {
    JsonObject json;
    json.add("reaped_leases", leases).add("freed_connections", connections);
    json.add("counter", report.listing.active).add("held", report.listing.held_in_all());
    print(json.add("adds_up", report.surplus() == 0).text() + "\n");
  } else {
    print(fmt::format(
        "{} {} silent for {} or longer: {} freed.\n\n", leases == 0 ? "No" : std::to_string(leases),
        leases == 1 ? "lease was" : "leases were", duration_text(options_.ttl),
        connections == 1 ? "1 connection" : fmt::format("{} connections", connections)));
    print(leases_text(report, output_style()));
  }
  return report.surplus() == 0 ? kDone : kFailed;
}

}  // namespace

int run_leases(const LeasesOptions& options) {
  Interrupt interrupt;
  const Result<std::unique_ptr<AwsAccess>> access =
      AwsAccess::open(options.region, options.endpoint, options.timeout);
  if (!access) return fail(access.error());
  Leases leases(options, **access, interrupt);
  switch (options.action) {
    case LeasesAction::setup: return leases.setup();
    case LeasesAction::show: return leases.show();
    case LeasesAction::watch: return leases.watch();
    case LeasesAction::reap: return leases.reap();
  }
  return kFailed;
}

}  // namespace forebay::cli
