#include "forebay/doctor/lease_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::doctor {
namespace {

// A holder's clock may differ a little, and the reaper needs a moment.
constexpr int kSilentTtls = 2;

void check_drift(const LeaseListing& listing, Notebook& notebook) {
  const int surplus = listing.surplus();
  const std::string what =
      fmt::format("the counter says {}, and {} leases hold {} together", listing.active,
                  listing.leases.size(), listing.held_in_all());
  if (surplus == 0) {
    notebook.ok(what);
  } else if (!listing.is_still) {
    notebook.note(what, "the counter changed while the leases were read", "look again");
  } else if (surplus > 0) {
    notebook.warning(
        fmt::format("{}: {} too many", what, surplus),
        "leases of crashed processes count against the limit although nobody uses them; or older "
        "clients hold connections whose leases have run out",
        "running processes set it right when it has lasted for 65 minutes; \"forebay leases reap "
        "--recount\" does it at once, if no older client runs");
  } else {
    notebook.warning(fmt::format("{}: {} too few", what, -surplus),
                     "somebody has reset the counter; the limit may be exceeded",
                     "the next process that looks sets it right; do not reset it by hand");
  }
}

void check_limit(const LeaseListing& listing, int limit, Notebook& notebook) {
  const double share = limit > 0 ? static_cast<double>(listing.active) / limit : 1;
  const std::string what =
      fmt::format("{} of {} connections are leased ({:.0f} %)", listing.active, limit, share * 100);
  const std::string advice =
      "scale down services or reduce pool.max (FOREBAY_POOL_MAX) and reservoir.target_ready "
      "(DSQL_RESERVOIR_TARGET_READY) per service; \"forebay leases show\" says who holds how many";
  if (listing.active >= limit) {
    notebook.error(what, "nobody can open one more (refill failures lease_acquire)", advice);
  } else if (share >= 0.9) {
    notebook.warning(what, "bursts and rolling deployments will meet the limit", advice);
  } else {
    notebook.ok(what);
  }
}

void check_silence(const LeaseListing& listing, Duration ttl, WallTime now, Notebook& notebook) {
  int silent = 0;
  int held = 0;
  for (const LeaseRecord& lease : listing.leases) {
    const Duration patience =
        (lease.reap_after > Duration() ? lease.reap_after : ttl) * kSilentTtls;
    if (!lease.is_renewed || now - lease.renewed_at <= patience) continue;
    ++silent;
    held += lease.held;
  }
  if (silent == 0) return;
  notebook.warning(
      fmt::format("{} {} silent for longer than twice its time, with {} connections", silent,
                  silent == 1 ? "lease has been" : "leases have been", held),
      "its process is dead or cut off, and nobody frees what it held",
      "if services run, they reap it within a few minutes; else \"forebay leases reap\"");
}

}  // namespace

Findings check_leases(const LeaseListing& listing, int limit, Duration ttl, WallTime now) {
  Notebook notebook("leases");
  check_drift(listing, notebook);
  check_limit(listing, limit, notebook);
  check_silence(listing, ttl, now, notebook);
  return notebook.take();
}

int processes_of(const std::string& service, const LeaseListing& listing) {
  return static_cast<int>(std::ranges::count_if(listing.leases, [&](const LeaseRecord& lease) {
    return lease.is_renewed && lease.service == service;
  }));
}

int held_by_others(const std::string& service, const LeaseListing& listing) {
  int held = 0;
  for (const LeaseRecord& lease : listing.leases) {
    if (!lease.is_renewed || lease.service != service) held += lease.held;
  }
  return held;
}

}  // namespace forebay::doctor
