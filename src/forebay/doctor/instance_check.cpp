#include "forebay/doctor/instance_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::doctor {
namespace {

constexpr double kNearLimit = 0.9;
constexpr double kStoreAway = 3;  // failures in a row
constexpr double kManyConflicts = 0.2;
constexpr double kLostShare = 0.1;  // of permits

void check_limit(const InstancePages& pages, const Labels& labels, Notebook& notebook) {
  const double active = pages.read(Metric::lease_active, labels).total;
  const double limit = pages.read(Metric::lease_limit, labels).total;
  if (limit <= 0) return;
  const std::string what =
      fmt::format("{} of {} connections of the cluster are leased", active, limit);
  const std::string advice =
      "scale down services or reduce their pools; \"forebay leases show\" says who holds how many, "
      "and whether the counter is right";
  if (active >= limit) {
    notebook.error(what, "nobody can open one more (lease_acquire)", advice);
  } else if (active > limit * kNearLimit) {
    notebook.warning(what, "bursts and rolling deployments will meet the limit", advice);
  } else {
    notebook.ok(what);
  }
}

void check_lease(const InstancePages& pages, const Labels& labels, Notebook& notebook) {
  if (pages.read(Metric::lease_lost, labels).total > 0) {
    notebook.error(fmt::format("{}: the lease has ended, or may have", shown(labels)),
                   "others may use this process's part of the limit",
                   "check that DynamoDB can be reached from there");
  } else if (const double losses = pages.read(Metric::lease_losses, labels).total; losses > 0) {
    notebook.note(
        fmt::format("{}: the lease was lost {} times since the start", shown(labels), losses),
        "DynamoDB was away for longer than leases.ttl, or the process stood still");
  }
  if (const double overhang = pages.read(Metric::lease_overhang, labels).total; overhang > 0) {
    notebook.warning(
        fmt::format("{}: {} connections have no lease behind them", shown(labels), overhang),
        "the cluster may have more connections than its limit",
        "it ends when they are given back; if it stays, the limit is too low for the demand");
  }
}

// One metric, by its labels: worse if it happens now than if it happened once.
struct Trouble {
  Metric metric;
  Severity now;
  std::string_view what;
  std::string_view why;
  std::string_view advice;
};

constexpr Trouble kTroubles[] = {
    {Metric::store_throttles, Severity::warning, "DynamoDB said: too many requests",
     "leases and permits come late, and connections with them",
     "switch the table to on-demand billing, or raise its capacity"},
    {Metric::token_failures, Severity::error, "IAM tokens could not be made",
     "without a token nobody can log in (token_provider)",
     "refresh the AWS credentials, check the role, AWS_REGION and the clock"},
    {Metric::transaction_exhausted, Severity::warning, "transactions failed after all retries",
     "too many conflicts on the same rows",
     "spread the rows that everybody writes, or raise retry.max_retries "
     "(FOREBAY_RETRY_MAX_RETRIES)"},
};

void check_trouble(const InstancePages& pages, const Trouble& trouble, Notebook& notebook) {
  for (const Labels& labels : pages.all(trouble.metric)) {
    const Reading count = pages.read(trouble.metric, labels);
    if (count.total == 0) continue;
    const bool is_now = count.increase > 0;
    notebook.add(is_now ? trouble.now : Severity::note,
                 fmt::format("{}: {} ({} times {})", shown(labels), trouble.what,
                             is_now ? count.increase : count.total,
                             is_now ? "within " + duration_text(pages.between())
                                    : "since the start, none now"),
                 std::string(trouble.why), is_now ? std::string(trouble.advice) : std::string());
  }
}

void check_store(const InstancePages& pages, Notebook& notebook) {
  for (const Labels& labels : pages.all(Metric::store_failures)) {
    const double failures = pages.read(Metric::store_failures, labels).total;
    if (failures == 0) continue;
    const auto kind = labels.find("kind");
    notebook.add(failures >= kStoreAway ? Severity::error : Severity::warning,
                 fmt::format("{}: {} requests to DynamoDB in a row have failed{}", shown(labels),
                             failures, kind == labels.end() ? "" : " (" + kind->second + ")"),
                 "while it is away nothing new is opened; what is open goes on",
                 "check the table (forebay leases show), the network, the IAM policy and AWS's "
                 "health");
  }
  for (const Labels& labels : pages.all(Metric::permits_lost)) {
    const double lost = pages.read(Metric::permits_lost, labels).total;
    double opened = 0;
    for (const Labels& pool : pages.all(Metric::reservoir_refills))
      opened += pages.read(Metric::reservoir_refills, pool).total;
    if (lost < 10 || lost <= opened * kLostShare) continue;
    notebook.warning(fmt::format("{}: {} permits came too late to be used, beside {} refills",
                                 shown(labels), lost, opened),
                     "part of the cluster's rate is wasted; DynamoDB is slow, or a clock is off",
                     "check the clocks, and how fast the table answers");
  }
}

void check_conflicts(const InstancePages& pages, Notebook& notebook) {
  for (const Labels& labels : pages.all(Metric::transaction_attempts)) {
    const double attempts = pages.read(Metric::transaction_attempts, labels).increase;
    const double conflicts = pages.read(Metric::transaction_conflicts, labels).increase;
    if (attempts < 10 || conflicts <= attempts * kManyConflicts) continue;
    notebook.warning(fmt::format("{}: {} of {} attempts met a conflict within {}", shown(labels),
                                 conflicts, attempts, duration_text(pages.between())),
                     "work is done again and again", "spread the rows that everybody writes");
  }
}

}  // namespace

void check_sharing(const InstancePages& pages, Notebook& notebook) {
  for (const Labels& labels : pages.all(Metric::lease_limit)) {
    check_limit(pages, labels, notebook);
    check_lease(pages, labels, notebook);
  }
  check_store(pages, notebook);
  for (const Trouble& trouble : kTroubles) check_trouble(pages, trouble, notebook);
  check_conflicts(pages, notebook);
  for (const Labels& labels : pages.all(Metric::tenants_in_line)) {
    const double waiting = pages.read(Metric::tenants_in_line, labels).total;
    if (waiting == 0) continue;
    notebook.warning(fmt::format("{}: {} tenants wait for room", shown(labels), waiting),
                     "all connections are with other tenants",
                     "raise tenants.max_connections (DB_MAX_CONNECTIONS), or add instances");
  }
}

Findings check_instance(const InstancePages& pages) {
  Notebook notebook("instance");
  if (!pages.is_ours()) {
    notebook.error("the page has no metrics of a pool",
                   "what answers there is another program, or its metrics have not begun",
                   "check the address: a service serves them at /metrics");
    return notebook.take();
  }
  if (pages.is_restarted()) notebook.note("the process was started again while it was looked at");
  for (const Labels& labels : pages.all(Metric::reservoir_size))
    check_pool(pages, labels, notebook);
  check_sharing(pages, notebook);
  if (notebook.is_empty()) notebook.ok("nothing is wrong");
  return notebook.take();
}

}  // namespace forebay::doctor
