#include "forebay/doctor/rate_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/doctor/rate_probe.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::doctor {
namespace {

// A bucket that nobody uses keeps its last time for ever.
constexpr Duration kRecent = std::chrono::seconds(kRateSeconds);

constexpr const char* kRemedy =
    "set rate.mode (FOREBAY_RATE_MODE) to window, its default, in every process that shares the "
    "rate; auto moves by itself";

}  // namespace

Findings check_rate(const RateFacts& facts) {
  Notebook notebook("rate");
  const bool has_bucket = facts.bucket_used_at && facts.now - *facts.bucket_used_at < kRecent;
  const bool has_seconds = facts.seconds > 0;
  const std::string seconds =
      fmt::format("{} counts by the second in the last {}", facts.seconds, duration_text(kRecent));
  if (has_bucket && has_seconds) {
    notebook.error(
        fmt::format("connects are counted in two ways: {}, and the bucket was used {} ago", seconds,
                    readable_time(std::max(Duration(), facts.now - *facts.bucket_used_at))),
        "neither sees the other, so together they may connect at twice the rate", kRemedy);
  } else if (has_seconds && facts.mode == RateMode::bucket) {
    notebook.warning(fmt::format("others count connects by the second: {}", seconds),
                     "a process with rate.mode bucket does not see them, nor they it", kRemedy);
  } else if (has_bucket && facts.mode == RateMode::window) {
    notebook.warning("others count connects by the bucket",
                     "a process with rate.mode window does not see them, nor they it", kRemedy);
  } else {
    notebook.ok("all who connect now count in one way");
  }
  return notebook.take();
}

}  // namespace forebay::doctor
