// Random rules and random commands for a pool's state.
#pragma once

#include <array>
#include <ostream>
#include <vector>

#include <rapidcheck.h>

#include "forebay/core/pool_state.hpp"

namespace forebay::test {

using namespace std::chrono_literals;

// Small times, so that a few commands are enough to live through several generations.
inline int between(int low, int end) { return *rc::gen::resize(100, rc::gen::inRange(low, end)); }

inline PoolRules any_rules() {
  PoolRules rules;
  rules.max = between(1, 7);
  rules.max_ready = between(1, rules.max + 1);
  rules.low_watermark = between(0, rules.max + 1);
  rules.supply.mode = *rc::gen::element(Supply::standard, Supply::reservoir);
  rules.supply.target_ready = between(0, rules.max + 1);
  rules.supply.min_idle = between(0, 3);
  rules.supply.keep_open = between(0, rules.max + 1);
  rules.supply.max_opening = between(1, 5);
  rules.expiry.lifetime = 1s;
  rules.expiry.jitter = *rc::gen::element<Duration>(0ms, 200ms);
  rules.expiry.guard_window = *rc::gen::element<Duration>(0ms, 100ms);
  rules.backoff.first = 50ms;
  rules.backoff.longest = 200ms;
  rules.take_order = *rc::gen::element(TakeOrder::newest_first, TakeOrder::oldest_first);
  rules.idle_timeout = *rc::gen::element<Duration>(200ms, Duration::max());
  rules.check_after = *rc::gen::element<Duration>(150ms, Duration::max());
  rules.leak_after = *rc::gen::element<Duration>(250ms, Duration::max());
  return rules;
}

enum class Verb : std::uint8_t {
  take,
  take_roughly,
  wait,
  time_out,
  cancel,
  give_back,
  give_back_used,
  give_back_plain,
  discard,
  opened,
  open_failed,
  refuse,
  reset_done,
  check_done,
  gone,
  suspect,
  collect,
  sleep,
  pass_time,
  resize,
  close
};

struct Command {
  Verb verb{};
  int number = 0;
};

inline std::ostream& operator<<(std::ostream& out, const Command& command) {
  constexpr std::array names = {
      "take",           "take_roughly",    "wait",    "time_out", "cancel",      "give_back",
      "give_back_used", "give_back_plain", "discard", "opened",   "open_failed", "refuse",
      "reset_done",     "check_done",      "gone",    "suspect",  "collect",     "sleep",
      "pass_time",      "resize",          "close"};
  return out << names[static_cast<std::size_t>(command.verb)] << ' ' << command.number;
}

inline rc::Gen<Command> any_command() {
  const auto verb = rc::gen::weightedElement<Verb>(
      {{8, Verb::take},           {3, Verb::take_roughly},    {4, Verb::wait},
       {2, Verb::time_out},       {2, Verb::cancel},          {10, Verb::give_back},
       {6, Verb::give_back_used}, {6, Verb::give_back_plain}, {2, Verb::discard},
       {14, Verb::opened},        {2, Verb::open_failed},     {1, Verb::refuse},
       {6, Verb::reset_done},     {5, Verb::check_done},      {8, Verb::gone},
       {1, Verb::suspect},        {16, Verb::collect},        {2, Verb::sleep},
       {12, Verb::pass_time},     {1, Verb::resize}});
  return rc::gen::build<Command>(rc::gen::set(&Command::verb, verb),
                                 rc::gen::set(&Command::number, rc::gen::inRange(0, 1'000)));
}

// Long enough for several generations from the first run on, whatever size rapidcheck has got to.
inline rc::Gen<std::vector<Command>> any_commands() {
  return rc::gen::resize(600, rc::gen::container<std::vector<Command>>(any_command()));
}

}  // namespace forebay::test
