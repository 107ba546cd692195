#include "forebay/ids/snowflake.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"
#include "forebay/ids/timestamp.hpp"

namespace forebay {
namespace {

constexpr std::int64_t kTimeEnd = std::int64_t{1} << SnowflakeGenerator::kTimeBits;

std::int64_t whole_milliseconds(Duration time) {
  return std::chrono::floor<std::chrono::milliseconds>(time).count();
}

// For people, from milliseconds since 1970.
std::string time_text(std::int64_t milliseconds) {
  return timestamp_text(Timestamp(std::chrono::milliseconds(milliseconds)));
}

std::string length_text(std::int64_t milliseconds) {
  return duration_text(std::chrono::milliseconds(milliseconds));
}

}  // namespace

SnowflakeGenerator::SnowflakeGenerator(const WallClock& clock, NodeSource& node,
                                       SnowflakeOptions options)
    : clock_(clock),
      node_(node),
      epoch_(whole_milliseconds(options.epoch.time_since_epoch())),
      max_ahead_(std::max<std::int64_t>(0, whole_milliseconds(options.max_ahead))) {}

Result<std::int64_t> SnowflakeGenerator::next() {
  for (;;) {
    Result<std::int64_t> id = try_next();
    if (id || id.error().code() != Errc::limit_reached) return id;
    std::this_thread::yield();
  }
}

Result<std::int64_t> SnowflakeGenerator::try_next() {
  const Result<NodeTerm> term = node_.term();
  if (!term) return failure(term.error());
  for (;;) {
    // The clock after the last place: of threads that share a steady clock none then takes another
    // one's progress for a step back.
    std::int64_t used = used_.load(std::memory_order_acquire);
    const std::int64_t now = whole_milliseconds(clock_.now().time_since_epoch()) - epoch_;
    Result<std::int64_t> place = first_place(*term, used, now);
    if (!place) return place;
    const std::int64_t time = *place / kPerMillisecond;
    if (time + epoch_ > term->last) {
      node_.want_later();
      return failure(Errc::connect_failed,
                     fmt::format("node {} is reserved for ids until {}, and it is {}; it is being "
                                 "reserved for longer: try again in a moment",
                                 term->node, time_text(term->last), time_text(time + epoch_)));
    }
    if (!used_.compare_exchange_weak(used, *place, std::memory_order_acq_rel)) continue;
    return time << (kNodeBits + kSequenceBits) |
           static_cast<std::int64_t>(term->node) << kSequenceBits | *place % kPerMillisecond;
  }
}

// The first place after the used one that the clock and the term allow.
Result<std::int64_t> SnowflakeGenerator::first_place(const NodeTerm& term, std::int64_t used,
                                                     std::int64_t now) const {
  if (now < 0 || now >= kTimeEnd) return refuse_time(now);
  const std::int64_t own = std::max(used + 1, now * kPerMillisecond);
  const std::int64_t begin = term.first > epoch_ ? (term.first - epoch_) * kPerMillisecond : 0;
  const std::int64_t place = std::max(own, begin);
  const std::int64_t time = place / kPerMillisecond;
  if (time <= now) return place;
  // Only one millisecond further, and this one was used to its end: no step back, but a rush.
  if (used / kPerMillisecond == now && place == used + 1) {
    return failure(Errc::limit_reached,
                   fmt::format("all {} ids of this millisecond are used on node {}",
                               kPerMillisecond, term.node));
  }
  if (time - now > max_ahead_) {
    return begin > own ? refuse_begin(term, now) : refuse_ahead(time, now);
  }
  if (time >= kTimeEnd) return refuse_time(time);
  return place;
}

std::unexpected<Error> SnowflakeGenerator::refuse_time(std::int64_t now) const {
  return failure(
      Errc::invalid,
      fmt::format("no id can be made at {}: 41 bits of milliseconds reach from {} to {}; set the "
                  "clock right, or choose another epoch",
                  time_text(now + epoch_), time_text(epoch_), time_text(epoch_ + kTimeEnd - 1)));
}

std::unexpected<Error> SnowflakeGenerator::refuse_ahead(std::int64_t time, std::int64_t now) const {
  return failure(
      Errc::invalid,
      fmt::format("the clock says {}, but ids up to {} were made: it is {} behind, and ids may "
                  "be {} ahead of it at most; they go on in {}",
                  time_text(now + epoch_), time_text(time + epoch_), length_text(time - now),
                  length_text(max_ahead_), length_text(time - now - max_ahead_)));
}

std::unexpected<Error> SnowflakeGenerator::refuse_begin(const NodeTerm& term,
                                                        std::int64_t now) const {
  return failure(
      Errc::connect_failed,
      fmt::format("node {} was another process's before, and ids up to {} are reserved for that "
                  "one; the clock says {}, and ids may be {} ahead of it at most: they begin in {}",
                  term.node, time_text(term.first - 1), time_text(now + epoch_),
                  length_text(max_ahead_), length_text(term.first - epoch_ - now - max_ahead_)));
}

SnowflakeParts SnowflakeGenerator::decode(std::int64_t id) const {
  SnowflakeParts parts;
  parts.time = std::chrono::sys_time<std::chrono::milliseconds>(
      std::chrono::milliseconds((id >> (kNodeBits + kSequenceBits)) + epoch_));
  parts.node = static_cast<int>((id >> kSequenceBits) % kNodeNumbers);
  parts.sequence = static_cast<int>(id % kPerMillisecond);
  return parts;
}

}  // namespace forebay
