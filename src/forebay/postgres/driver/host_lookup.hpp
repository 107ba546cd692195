// HostLookup: finds the addresses of a connection string's hosts, so that libpq need not: its own
// lookups block a thread for as long as a name server is silent.
//
// All names at once. A name that cannot be found is left out if another server of the list remains;
// what was wrong with it is kept for the error of the whole attempt. Confined to the scheduler.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/env/name_resolver.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/postgres/driver/host_list.hpp"

namespace forebay::postgres {

class HostLookup {
 public:
  HostLookup(Scheduler& scheduler, NameResolver& names) : scheduler_(scheduler), names_(names) {}
  HostLookup(const HostLookup&) = delete;
  HostLookup& operator=(const HostLookup&) = delete;

  // Every place of the list then has an address, or needs none. The error is that of the first name
  // if no place remains. With several servers the names have half of the time: the other half is
  // for those that were found. REQUIRES: called once.
  Task<Result<void>> run(HostList& hosts, Instant deadline);
  void cancel();  // ends run()

  // What was wrong with names that were left out; empty if nothing was.
  const std::string& complaints() const { return complaints_; }

 private:
  Task<void> ask(NameLookup& lookup, Instant deadline, Result<std::vector<std::string>>& answer);

  Scheduler& scheduler_;
  NameResolver& names_;
  std::vector<std::unique_ptr<NameLookup>> lookups_;  // under way
  std::string complaints_;
};

}  // namespace forebay::postgres
