// PoolOptions: all that a pool can be told, and the rules that options obey.
//
// docs/configuration.md has the same options as settings, and the defaults that depend on the
// server and the supply, which are std::optional here: they are the same whether the pool is made
// in code or from a configuration.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "forebay/core/backoff.hpp"
#include "forebay/core/discard_reason.hpp"
#include "forebay/core/supply.hpp"
#include "forebay/env/option_problem.hpp"
#include "forebay/pool/connection.hpp"
#include "forebay/pool/leak_report.hpp"
#include "forebay/pool/session_options.hpp"
#include "forebay/pool/session_settings.hpp"

namespace forebay {

class Observer;

// How many connections; these can change while the pool runs.
struct PoolSize {
  std::optional<int> max;           // all connections, from opening to closed, never exceed it
  std::optional<int> target_ready;  // reservoir: kept ready ahead of demand; default max
  // reservoir: the initial fill is done at this many. Default target_ready.
  std::optional<int> low_watermark;
  std::optional<int> max_ready;  // given back above it: discarded as reservoir_full; default max
  int min_idle = 0;              // standard: kept ready; lost ones are replaced at once
  std::optional<int> keep_open;  // standard: opened one by one at start, then held by the keeper
};

// What becomes of a place whose session the server does not let go of, although it was told to, so
// that nobody can say whether it still counts it.
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

// What becomes of a start whose first connect is refused in a way that waiting does not mend: a
// wrong password, an untrusted certificate, a database, role or host name that does not exist.
enum class InitialFailure : std::uint8_t {
  fail_fast,    // it ends at once, with Errc::refused and the server's words
  keep_trying,  // it goes on as after any other failure: the pool recovers when somebody mends it
};

struct PoolOptions {
  std::string name = "pool";  // in logs and errors
  std::string service;        // in logs; empty: that of the cluster it shares, or none
  PoolSize size;
  Supply supply = Supply::standard;                // opens on demand, or ahead of it
  TakeOrder take_order = TakeOrder::newest_first;  // which ready connection is handed out first

  // Life of a connection, on average. Duration::max() is never, or as late as server_limit allows.
  // Without a reservoir the default is such that the longest life is pool.max_lifetime's default.
  std::optional<Duration> lifetime;
  Duration lifetime_jitter = std::chrono::minutes(2);  // lifetimes spread over +- half of it
  // In the last part of its life a connection is not handed out.
  Duration guard_window = std::chrono::seconds(45);
  // When the server cuts a session. Aurora DSQL: 60 min.
  Duration server_limit = Duration::max();
  // Lifetimes end this long before server_limit. Aurora DSQL: 5 min.
  Duration longest_transaction{};
  // Unused for this long: closed, unless the target needs it. May be never.
  std::optional<Duration> idle_timeout;
  // Silent for this long: the server is asked, in the background. May be never.
  Duration check_after_idle = std::chrono::seconds(30);
  // Lent for this long: reported once, with the place that took it. May be never.
  Duration leak_after = Duration::max();

  // Pace: connects per second, and at once after a rest. Rate 0: as fast as the server answers.
  std::optional<double> connect_rate;
  std::optional<int> connect_burst;
  int max_opening = 32;  // connects in flight at once
  BackoffRule backoff;   // the pause after failures in a row

  // Time limits of the steps.
  Duration admission_timeout = std::chrono::seconds(30);  // for a lease, and for a permit
  Duration connect_timeout = std::chrono::seconds(10);  // for a connect and after_connect together
  Duration reset_timeout = std::chrono::seconds(5);     // for a reset and after_connect together
  Duration check_timeout = std::chrono::seconds(5);     // for the answer of one idle connection
  // For cancelling a statement that ran into its deadline, from the permit to the server's answer;
  // then the session is closed instead. Zero: nothing is cancelled. Cancels are sent unencrypted.
  Duration cancel_timeout = std::chrono::milliseconds(750);
  // How soon the server is to notice that we are gone without a word, and our sockets that it is;
  // both are told at connect. max: neither is told anything.
  Duration server_notices_after = std::chrono::seconds(6);
  StuckClose on_stuck_close = StuckClose::keep_place();
  // How long a call may take that says nothing itself: a statement; or a statement or a transaction
  // of the pool (pool.query(), say), from the wait for a session to the last row. May be never.
  // The caller's own patience: nothing is set on the server.
  Duration call_timeout = std::chrono::seconds(30);
  Duration open_wait = std::chrono::milliseconds(100);  // how long open() waits; 0: not at all
  // How long start() waits for the low watermark; then it warns and goes on.
  Duration initial_fill_limit = std::chrono::seconds(30);
  // Of PostgresPool::open(), which with fail_fast opens one connection before all others, even if
  // none is to be kept. Later on callers get Errc::refused at once while nothing is open and every
  // connect is refused like that; a server that spoke is asked again after 15 s, then up to every
  // 2 min, so that no account is locked.
  InitialFailure initial_failure = InitialFailure::fail_fast;
  int warm_up_retries = 5;  // of each connection of keep_open, after its first attempt
  // Between these attempts.
  BackoffRule warm_up_backoff{std::chrono::milliseconds(200), std::chrono::seconds(5), 25};

  SessionOptions session;  // of drivers that speak SQL
  // What every session is set to: {"search_path", "app, public"}. Sent when it starts, so that each
  // reset returns to it; overrides the connection string's options. A server that does not know a
  // setting, or does not want it set, refuses the connect: Aurora DSQL accepts a few (search_path,
  // timezone, application_name ...), and nothing is sent unless it is given here.
  SessionSettings session_settings;

  // Hooks run on the pool's scheduler and must not block it. after_connect prepares a connection,
  // after its connect and again after each reset, which undoes what it did: so each user finds it.
  // It leaves no transaction open. If it fails, the connection is discarded. before_close sees each
  // go, and why; on_leak gets each leak report. What a hook throws is the error of that attempt
  // (after_connect) or goes to the log. For settings alone, session_settings cost no round trip.
  std::function<Task<Result<void>>(Connection&, Instant deadline)> after_connect;
  std::function<void(Connection&, DiscardReason)> before_close;
  std::function<void(const LeakReport&)> on_leak;
  // Is told of each acquire, statement and attempt of a transaction; outlives the pool.
  Observer* observer = nullptr;
};

// Everything that is wrong with the options, without what is wrong only because another one is.
OptionProblems problems(const PoolOptions& options);

}  // namespace forebay
