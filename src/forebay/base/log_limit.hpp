// LogLimit: which events of a flood are told, and how many were not. Pure: it is given the time,
// and its owner asks it.
//
// Events are of one kind if their message and their fields `pool` and `reason` are the same. Of
// each kind the first few in a window are told, the others are counted. The count is told with the
// next event of the kind after the window, or by the last one that was held back when somebody asks
// for what is due; each that was held back is counted in exactly one of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/log_event.hpp"

namespace forebay::log {

class LogLimit {
 public:
  using Instant = std::chrono::nanoseconds;  // since whenever; it does not go back
  static constexpr Instant kNever = Instant::max();

  struct Rule {
    int most = 5;  // told in a window
    Instant window = std::chrono::seconds(10);
    std::size_t most_kinds = 1000;  // with more at once, new ones count by their message alone
  };

  struct Verdict {
    bool is_told = true;
    std::uint64_t repeated = 0;  // held back before it, and told with it
  };

  struct Repeats {
    KeptEvent last;
    std::uint64_t repeated;
  };

  explicit LogLimit(Rule rule) : rule_(rule) {}

  Verdict note(const Event& event, Instant now);
  // What was held back in windows that have ended; at kNever in all of them.
  std::vector<Repeats> take_due(Instant now);
  // When take_due() will have something, or kNever.
  Instant next_due() const { return next_due_; }

 private:
  struct Kind {
    Instant until{};  // the end of its window
    int told = 0;
    std::uint64_t held_back = 0;
    std::optional<KeptEvent> last;
  };

  std::string key_of(const Event& event, Instant now);
  void forget_ended(Instant now);

  const Rule rule_;
  std::map<std::string, Kind> kinds_;
  Instant next_due_ = kNever;
};

}  // namespace forebay::log
