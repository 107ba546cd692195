// ConnectionSlot: a slot of the pool's state together with the driver's connection in it.
#pragma once

#include <atomic>
#include <memory>

#include "forebay/base/thread_mark.hpp"
#include "forebay/core/slot.hpp"
#include "forebay/pool/admission.hpp"
#include "forebay/pool/connection.hpp"
#include "forebay/pool/leak_report.hpp"
#include "forebay/pool/pooled_connection.hpp"

namespace forebay {

struct ConnectionSlot : Slot {
  using Slot::Slot;
  Lease lease;                             // if the cluster's connections are leased
  std::unique_ptr<Connection> connection;  // set while it is open
  bool is_cancel_tried = false;
  std::atomic<const void*> user = nullptr;  // the thread_mark() of who took or used it last
};

// REQUIRES: the slot is lent.
LeakReport leak_report(const Slot& slot, Instant now);

// Here, because only the pool makes handles that hold something: callers need not see a slot.
inline PooledConnection::PooledConnection(Exchange& exchange, ConnectionSlot& slot, Holder holder)
    : exchange_(&exchange), slot_(&slot), holder_(holder), place_(slot.taken_from) {
  slot.user.store(thread_mark(), std::memory_order_relaxed);
}

}  // namespace forebay
