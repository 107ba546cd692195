// PoolControl: what a pool does for drivers, and for the code that runs many of them or cancels
// statements itself, and for nobody else.
#pragma once

#include "forebay/pool/pool.hpp"

namespace forebay {

class PoolControl {
 public:
  explicit PoolControl(Pool& pool) : pool_(pool) {}

  // For a caller under a lock of its own who is going to wait if there is none: it is not counted
  // as unserved. If it says so, call_supplier() when that lock is free.
  std::optional<PooledConnection> take_ready(Holder holder, const std::source_location& from,
                                             bool& calls_supplier) {
    return pool_.take_ready(holder, from, calls_supplier);
  }
  void call_supplier() { pool_.call_supplier(); }
  // As acquire_blocking(), for a thread that has an errand, which whoever hands the connection over
  // may have begun. Where one is ready, nobody has.
  Result<PooledConnection> acquire_for(Errand& errand) { return pool_.acquire_for(errand); }
  // For pools that share a budget. Closes up to so many that are ready, to make room for others,
  // and says how many.
  int shed(int most) { return pool_.shed(most); }
  // When the budget calls, so many that come back are closed although somebody waits for them here.
  void set_yields(int yields) { pool_.set_yields(yields); }
  // The permit of a cancel, from a task of the pool's scheduler: the server counts a connect. True:
  // it may be sent now. False: not by then, or it was cancelled.
  Task<bool> permit_cancel(Until until);
  // The first step of close(), which is still to come, and from any thread.
  void stop(DiscardReason reason) { pool_.stop(reason); }

 private:
  Pool& pool_;
};

}  // namespace forebay
