// Gate: the one place where a physical connection is opened, for whatever purpose.
//
// What is free to give back comes first, what perishes comes last: the approval is in the
// slot when it comes here, then a lease (the cluster may have one more), then a permit (now is
// allowed), then the connect. Whatever was taken goes back when a later step fails. Confined to
// the pool's scheduler.
#pragma once

#include <memory>

#include "forebay/env/condition.hpp"
#include "forebay/pool/admission.hpp"
#include "forebay/pool/exchange.hpp"
#include "forebay/pool/options.hpp"

namespace forebay {

enum class GateOutcome : std::uint8_t {
  opened,      // the connection is in the slot
  not_wanted,  // what came back in the meantime made it needless, or the pool closed
  failed,      // if there is a connection in the slot, it is to be closed
};

class Opening {
 public:
  explicit Opening(GateOutcome result) : outcome(result) {}
  Opening(GateOutcome result, std::string text) : outcome(result), error(std::move(text)) {}

  GateOutcome outcome;
  std::string error;        // when it failed
  Duration connect_time{};  // when it opened
};

class Gate {
 public:
  // Either source may be null: no limit. Both may be shared with other pools of the scheduler.
  Gate(Exchange& exchange, Connector& connector, const PoolOptions& options, LeaseSource* leases,
       PermitSource* permits);

  Task<Opening> open(ConnectionSlot& slot);
  void close();  // ends what is in flight early

 private:
  Task<Opening> connect(ConnectionSlot& slot);
  bool is_still_wanted(const ConnectionSlot& slot) const;

  Exchange& exchange_;
  Connector& connector_;
  const PoolOptions& options_;
  LeaseSource* const leases_;
  PermitSource* const permits_;
  Condition closing_;
  bool is_closed_ = false;
};

}  // namespace forebay
