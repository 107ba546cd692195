// LeaseBook: what one process knows of its lease, as a value without clocks or requests. For how
// long it stands is LeaseTerm's.
//
// At most one change of the lease is open at a time, and is repeated until the store has answered.
// held() never counts what the store may not have: an acquire counts when it is answered, a release
// as soon as it is begun.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/coordination/leases/lease_store.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class LeaseBook {
 public:
  explicit LeaseBook(std::string name);

  int held() const { return held_; }
  int in_use() const { return in_use_; }
  int stock() const { return held_ > in_use_ ? held_ - in_use_ : 0; }     // held and unused
  int overhang() const { return in_use_ > held_ ? in_use_ - held_ : 0; }  // used and not held
  std::uint64_t losses() const { return losses_; }
  const std::string& id() const { return id_; }

  void hand_out();
  void take_back();

  // How much of the stock nobody has needed since watch_stock().
  int surplus() const;
  void watch_stock() { least_stock_ = stock(); }

  // The open change.
  struct Change {
    enum class Kind : std::uint8_t { acquire, release };
    Kind kind = Kind::acquire;
    int connections = 0;
    int limit = 0;    // acquire
    Instant begun{};  // when it was first sent
  };
  const std::optional<Change>& change() const { return change_; }
  LeaseChange request() const;  // REQUIRES: a change is open
  void begin_acquire(int connections, int limit, Instant now);
  void begin_release(int connections, Instant now);  // REQUIRES: at most stock()
  // With what the store says the lease now holds. It may be more than the changes add up to, if a
  // try that was thought refused arrived late; it is then stock like any other.
  void end_granted(int held);
  void end_refused();
  void end_released(int held);

  // Whether there is a lease to keep: the store has confirmed it, and not all of it is being
  // released.
  bool has_lease() const { return has_lease_ && held_ > 0; }
  // The store has no such lease. What is in use has nothing behind it until it is leased anew.
  void lose();

 private:
  void begin(Change change);
  void end_change();
  void next_lease();

  const std::string name_;
  std::string id_;
  std::uint64_t lease_number_ = 0;
  std::uint64_t sequence_ = 0;  // the last that was used up
  int held_ = 0;
  int in_use_ = 0;
  int least_stock_ = 0;  // since watch_stock()
  std::uint64_t losses_ = 0;
  bool has_lease_ = false;
  std::optional<Change> change_;
};

}  // namespace forebay
