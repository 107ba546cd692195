// Chaos: what goes wrong on purpose, as told by options and by SELECT standin.…(). Pure: it is told
// the time.
//
// Confined to the loop of the sessions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "forebay/env/random.hpp"
#include "forebay/env/time.hpp"

namespace forebay::standin {

class Chaos {
 public:
  explicit Chaos(Random& random) : random_(random) {}

  // "conflicts 0.1", "refuse_tokens on", "slow_connects 250ms", "go_away 3s", "wake_up 2",
  // "drop_connections", "calm". What is wrong with it; nothing: it holds from now on.
  std::optional<std::string> apply(std::string_view command, Instant now);

  bool draw_conflict();
  bool refuses_tokens() const { return refuses_tokens_; }
  Duration connect_delay() const { return connect_delay_; }
  bool is_away(Instant now) const { return now < away_until_; }
  bool take_wake_up();
  // Grows when all sessions are to be cut.
  int drops() const { return drops_; }

 private:
  void calm();

  Random& random_;
  double conflicts_ = 0;  // fraction of writing transactions that meet one at COMMIT
  bool refuses_tokens_ = false;
  Duration connect_delay_{};  // before each connect is answered
  Instant away_until_ = Instant::min();
  int wake_ups_ = 0;  // so many connects hear that the cluster wakes up
  int drops_ = 0;
};

}  // namespace forebay::standin
