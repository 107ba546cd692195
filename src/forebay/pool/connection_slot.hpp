// ConnectionSlot: a slot of the pool's state together with the driver's connection in it.
#pragma once

#include <atomic>
#include <memory>

#include "forebay/core/slot.hpp"
#include "forebay/pool/admission.hpp"
#include "forebay/pool/connection.hpp"

namespace forebay {

struct ConnectionSlot : Slot {
  using Slot::Slot;
  Lease lease;                             // if the cluster's connections are leased
  std::unique_ptr<Connection> connection;  // set while it is open
  bool is_cancel_tried = false;
  std::atomic<const void*> user = nullptr;  // the thread_mark() of who took or used it last
};

}  // namespace forebay
