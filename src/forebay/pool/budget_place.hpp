// Budget::Place: a pool's place in the line for room of a budget.
#pragma once

#include "forebay/core/capacity.hpp"
#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/last_calls.hpp"
#include "forebay/env/signal.hpp"
#include "forebay/pool/budget.hpp"

namespace forebay {

class Budget::Place {
 public:
  Place(Signal& attention, Capacity& capacity) : attention_(attention), capacity_(capacity) {}
  ~Place() { last_calls_.wait(); }
  void return_grants() { capacity_.return_grants(); }

 private:
  friend class Budget;
  friend struct Budget::Parts;
  Signal& attention_;
  Capacity& capacity_;
  RoomNeed need_ = RoomNeed::ahead;
  LastCalls last_calls_;  // of those who have granted it room and are about to say so
  ListLink<Place> link_;
};

}  // namespace forebay
