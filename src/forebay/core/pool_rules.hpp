// PoolRules: everything that decides about a pool, as plain values.
#pragma once

#include "forebay/core/backoff.hpp"
#include "forebay/core/expiry.hpp"
#include "forebay/core/ready_queue.hpp"
#include "forebay/core/refill_plan.hpp"

namespace forebay {

struct PoolRules {
  int max = 10;
  int max_ready = 10;     // more than this ready, and what is given back is discarded
  int low_watermark = 0;  // open connections at which the initial fill counts as done
  SupplyRule supply;
  ExpiryRule expiry;
  BackoffRule backoff;
  TakeOrder take_order = TakeOrder::newest_first;
  Duration idle_timeout = Duration::max();
  Duration check_after = Duration::max();  // idle for longer: asked whether it lives
  Duration leak_after = Duration::max();   // lent for longer: reported once
};

}  // namespace forebay
