// RateStore: one rate of connects for many processes.
//
// It gives out places ahead of time: a place names the moment at which one connect may start. One
// request can bring many, so that processes ask seldom. Always: of the places ever given out, at
// most rate * w + burst start in any window of length w.
//
// The state is that of a ConnectPacer, in wall time, and the furthest time that any caller has
// brought. Callers whose clocks are behind learn that time from the reply, so in the end all of
// them follow one clock, and nobody is locked out by a clock that runs ahead.
//
// On DynamoDB it is one item and one conditional update.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "forebay/base/error.hpp"
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
  // How far ahead places must start at least: about as long as the reply takes. A place whose start
  // has passed when its owner hears of it is lost.
  Duration notice;
};

struct TakeReply {
  int granted = 0;  // at most what was wanted; no place starts beyond the store's horizon
  WallTime earliest{};
  WallTime first{};
  Duration spacing{};
  WallTime now{};  // the store's: never before that of any caller so far
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
};

}  // namespace forebay
