// ConnectHealth: how opening connections has gone of late: how long one takes, how many failed in a
// row, whether waiting could mend that, and how long nothing is tried for that reason.
#pragma once

#include <algorithm>
#include <optional>

#include "forebay/core/backoff.hpp"
#include "forebay/core/open_failure.hpp"
#include "forebay/core/server_room.hpp"
#include "forebay/core/time_estimate.hpp"

namespace forebay {

// The pauses while a server refuses us for good: a wrong password that is tried again and again
// locks accounts. One attempt at a time, at most ten in the first ten minutes.
inline constexpr BackoffRule kRefusedBackoff{std::chrono::seconds(15), std::chrono::minutes(2), 25};

class ConnectHealth {
 public:
  // Assumed until the first connect is seen: a TLS handshake and an authentication in the same
  // region.
  static constexpr Duration kAssumedConnectTime = std::chrono::milliseconds(50);

  // What a failure meets.
  struct Situation {
    BackoffRule rule;
    int open = 0;      // connections of ours, each of which makes room when it ends
    int sessions = 0;  // these, and those that the server may still count
  };

  // sessions: with this one.
  void note_opened(Duration connect_time, int sessions);
  // True: a pause begins. A burst of connects that fail together is one failure: the next attempts
  // come after one pause.
  bool note_failed(Instant now, const FailedOpen& failed, const Situation& situation,
                   Random& random);
  // All is there that is wanted: what the last failure said is over.
  void forget_failure();

  Duration connect_time() const { return connect_time_.estimate(); }
  // Connects that failed in a row, where those that failed together count as one, and when the
  // pause after the last of them ends. Not those that found a server full beside ours.
  int failures() const { return failures_; }
  Instant backoff_until() const { return backoff_until_; }
  // The last attempt was refused, and waiting will not mend it.
  bool is_refused() const { return is_refused_; }
  // How many may be opened during a pause that a full cluster began: what this pool had of it was
  // leased to it, and the lease of one that has just ended is still here.
  int replaceable(int sessions, int opening) const {
    return kept_ ? std::max(0, *kept_ - sessions - opening) : 0;
  }
  // What a full server has for us.
  const ServerRoom& server_room() const { return server_room_; }
  // The same, and when the next attempt comes, whichever kind of failure it was.
  int attempts() const { return failures_ > 0 ? failures_ : server_room_.refusals(); }
  Instant retry_at() const { return failures_ > 0 ? backoff_until_ : server_room_.try_from(); }
  // Where the last attempt to open failed, if it did.
  std::optional<OpenFailure> last_failure() const { return last_failure_; }

 private:
  void note_kept(const FailedOpen& failed, int sessions);

  TimeEstimate connect_time_{kAssumedConnectTime};
  int failures_ = 0;
  bool is_refused_ = false;
  Instant backoff_until_ = Instant::min();
  ServerRoom server_room_;
  std::optional<int> kept_;  // sessions of ours in a cluster that was full for one more
  std::optional<OpenFailure> last_failure_;
};

}  // namespace forebay
