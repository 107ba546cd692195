// PoolOptions: all that a pool can be told, with defaults that suit Aurora DSQL, and the
// rules they obey.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "forebay/core/pool_rules.hpp"
#include "forebay/pool/connection.hpp"
#include "forebay/pool/leak_report.hpp"

namespace forebay {

// How many connections; these can change while the pool runs.
struct PoolSize {
  int max = 10;                     // all there are, from opening to closed, never exceed it
  std::optional<int> target_ready;  // reservoir: kept ready ahead of demand; default max
  std::optional<int>
      low_watermark;  // reservoir: the initial fill is done at so many; default target_ready
  std::optional<int> max_ready;  // given back above it: discarded as reservoir_full; default max
  int min_idle = 0;              // standard: kept ready; lost ones are replaced at once
  int keep_open = 0;             // standard: opened one by one at start, then held by the keeper
};

// What becomes of a place whose session the server does not let go of, although it was told, and
// nobody can say whether it still counts it.
class StuckClose {
 public:
  static constexpr StuckClose keep_place() { return StuckClose(Duration::max()); }
  // The server may then count one session more than the pool does.
  static constexpr StuckClose give_up_after(Duration time) { return StuckClose(time); }

  constexpr bool keeps_place() const { return limit_ == Duration::max(); }
  constexpr Duration limit() const { return limit_; }
  friend bool operator==(StuckClose, StuckClose) = default;

 private:
  explicit constexpr StuckClose(Duration limit) : limit_(limit) {}
  Duration limit_;
};

struct PoolOptions {
  std::string name = "pool";  // in logs and errors
  PoolSize size;
  Supply supply = Supply::standard;
  TakeOrder take_order = TakeOrder::newest_first;

  // Life of a connection.
  Duration lifetime = std::chrono::minutes(11);
  Duration lifetime_jitter = std::chrono::minutes(2);  // lifetimes spread over +- half of it
  Duration guard_window = std::chrono::seconds(45);
  Duration server_limit = Duration::max();  // when the server cuts a session; max: never
  Duration longest_transaction{};
  Duration idle_timeout = std::chrono::minutes(10);
  Duration check_after_idle = std::chrono::seconds(30);
  Duration leak_after = Duration::max();

  // Pace.
  double connect_rate = 0;  // connects per second; 0: as fast as the server answers
  int connect_burst = 1;
  int max_opening = 32;
  BackoffRule backoff;

  // Limits of the single steps.
  Duration admission_timeout = std::chrono::seconds(30);  // for a lease, and for a permit
  Duration connect_timeout = std::chrono::seconds(10);
  Duration reset_timeout = std::chrono::seconds(5);
  Duration check_timeout = std::chrono::seconds(5);
  // For cancelling a statement that ran into its deadline, from the permit to the server's answer;
  // then the session is closed instead. Zero: nothing is cancelled. A cancel is sent in the clear.
  Duration cancel_timeout = std::chrono::milliseconds(750);
  // The server is told at connect to miss us so soon when we are gone without a word, and our
  // sockets to miss the server; max: neither is told anything.
  Duration server_notices_after = std::chrono::seconds(6);
  StuckClose on_stuck_close = StuckClose::keep_place();
  Duration open_wait = std::chrono::milliseconds(100);  // how long open() waits
  Duration initial_fill_limit = std::chrono::seconds(30);
  int warm_up_retries = 5;  // per connection
  BackoffRule warm_up_backoff{std::chrono::milliseconds(200), std::chrono::seconds(5), 25};

  // Hooks run on the pool's scheduler and must not block it. A failed after_connect discards the
  // connection. What a hook throws is the error of that attempt (after_connect) or goes to the log.
  // What it sets in the session lasts until the first reset: settings for every user belong into
  // the connection string (options=-c ...).
  std::function<Task<Result<void>>(Connection&, Instant deadline)> after_connect;
  std::function<void(Connection&, DiscardReason)> before_close;
  std::function<void(const LeakReport&)> on_leak;
};

// Everything that is wrong with the options, one sentence each: the option, its value, what
// would be right.
std::vector<std::string> problems(const PoolOptions& options);

// REQUIRES: problems(options) is empty.
PoolRules rules_of(const PoolOptions& options);

}  // namespace forebay
