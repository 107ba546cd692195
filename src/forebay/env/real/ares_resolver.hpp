// AresResolver: looks names up with c-ares, on the loop's own thread.
//
// Asks whom the system's files name: /etc/hosts, and the name servers of /etc/resolv.conf. Both are
// read anew for each lookup, so a change of them needs no restart. Confined to the scheduler; it
// outlives what it makes.
#pragma once

#include <string>
#include <utility>

#include "forebay/env/descriptor_watch.hpp"
#include "forebay/env/name_resolver.hpp"
#include "forebay/env/scheduler.hpp"

namespace forebay::real {

class AresResolver final : public NameResolver {
 public:
  // Servers as "10.0.0.2,10.0.0.3:5353"; none: those of the system.
  AresResolver(Scheduler& scheduler, DescriptorWatcher& descriptors, std::string servers = "")
      : scheduler_(scheduler), descriptors_(descriptors), servers_(std::move(servers)) {}

  std::unique_ptr<NameLookup> look_up(std::string name) override;

 private:
  Scheduler& scheduler_;
  DescriptorWatcher& descriptors_;
  const std::string servers_;
};

}  // namespace forebay::real
