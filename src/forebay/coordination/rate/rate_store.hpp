// RateStore: one rate of connects for many processes.
//
// It gives out places ahead of time: a place names the moment at which one connect may start. One
// request can bring many, so that processes ask seldom. What always holds of the places ever given
// out depends on the mode: see RateBucket and RateWindow.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "forebay/base/error.hpp"
#include "forebay/coordination/rate/rate_limits.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

// Drawn by chance, new for each request and the same for its repetitions.
struct RequestToken {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const RequestToken&) const = default;
};

class TakeRequest {
 public:
  TakeRequest(RequestToken id, int count, WallTime wall_time, Duration ahead)
      : token(id), wanted(count), now(wall_time), notice(ahead) {}

  RequestToken token;
  int wanted;  // > 0
  WallTime now;
  // How far ahead places must start at least: about as long as the reply takes. A place whose time
  // has passed when its owner hears of it is lost.
  Duration notice;
};

struct TakeReply {
  int granted = 0;  // at most what was wanted; no place starts beyond the store's horizon
  WallTime earliest{};
  WallTime first{};
  Duration spacing{};
  WallTime now{};  // bucket: never before that of any caller so far; window: the caller's own
  bool is_by_second = false;  // window: places lie in seconds of the clock on the wall
  // A place may be used later than its start, until then; unless told, at its start only.
  WallTime usable_until = WallTime::min();
  // If nothing was granted: when asking again makes sense.
  WallTime retry_at{};

  // Of the places granted, counted from 0, in the order in which they start.
  WallTime start(int place) const { return std::max(earliest, first + place * spacing); }
};

class RateStore {
 public:
  virtual ~RateStore() = default;
  // An error means that nobody knows; the places, if there were any, are lost. Sent again with
  // the same token, the request gets the same places if the store still knows it, or else new
  // ones. Errors are those of LeaseStore.
  virtual Task<Result<TakeReply>> take(TakeRequest request, Instant deadline) = 0;
  // The time that all callers share, where the store can tell it, as far as it is known: the own
  // time or another one. Others depend on it: see RateBucket.
  virtual WallTime time(WallTime own, Instant) const { return own; }
  // Lets the store tell it, if it has not yet. Whether it did is seen by what time() says then.
  virtual Task<void> learn_time(Instant) { co_return; }
  // Seconds in which others were seen to count by the second while this process did not.
  virtual std::uint64_t foreign_seconds() const { return 0; }
};

}  // namespace forebay
