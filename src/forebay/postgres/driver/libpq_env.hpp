// LibpqEnv: what the libpq driver asks of the world.
#pragma once

#include "forebay/detail/postgres/driver/libpq_handles.hpp"
#include "forebay/env/blocking_lane.hpp"
#include "forebay/env/descriptor_watch.hpp"
#include "forebay/env/name_resolver.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/scheduler.hpp"

namespace forebay::postgres {

struct LibpqEnv {
  Scheduler& scheduler;
  DescriptorWatcher& descriptors;
  BlockingLane& lane;
  NameResolver& names;
};

inline LibpqEnv libpq_env(Runtime& runtime) {
  return {runtime.scheduler(), runtime.descriptors(), runtime.lane(), runtime.names()};
}

}  // namespace forebay::postgres
