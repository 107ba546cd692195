// Notice: how soon a server misses a client that is gone, and when its session must then have
// ended.
//
// A server that works on a statement looks for its client every `check_interval`; the end of our
// side of the connection is seen by that. Where nothing arrives any more, not even that end, the
// server's TCP gives up after `silence`. Our own sockets are told the same.
#pragma once

#include <optional>

#include "forebay/env/time.hpp"

namespace forebay {

// What both sides are told. TCP counts the times of keepalives in whole seconds.
struct NoticePlan {
  NoticePlan() = default;

  Duration check_interval{};
  std::chrono::seconds keepalive_idle{};
  std::chrono::seconds keepalive_interval{};
  int keepalive_count = 0;

  // From the last sign of life to the end of a connection.
  Duration silence() const { return keepalive_idle + keepalive_interval * keepalive_count; }
};

// So that silence is `after`, in whole seconds and at least two.
NoticePlan plan_notice(Duration after);

// What is known of one server.
struct ServerNotice {
  ServerNotice() = default;  // nothing
  static ServerNotice of(const NoticePlan& plan);

  std::optional<Duration> check_interval;
  std::optional<Duration> silence;
  std::optional<Duration> longest_work;  // after its client's end it works no longer than this
};

// When the server has surely ended a session; kNever: nobody can say. told_at: since when it has
// been told of our end, again and again for as long as our socket lived. lost_at: when our socket
// gave up, because it heard nothing any more; until then the other side is known to be there.
Instant ended_by(const ServerNotice& server, Instant told_at, std::optional<Instant> lost_at);

}  // namespace forebay
