#include "forebay/doctor/clock_check.hpp"

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::doctor {
namespace {

constexpr Duration kDoubtful = std::chrono::seconds(1);
constexpr Duration kRefused = std::chrono::minutes(5);  // AWS accepts no signature beyond

void check_one(const ClockSight& sight, bool is_signing, Notebook& notebook) {
  const Duration skew = certain_skew(sight);
  const Duration apart = skew < Duration() ? -skew : skew;
  if (apart <= kDoubtful) {
    notebook.ok(fmt::format("this machine's clock agrees with {}", sight.whose));
    return;
  }
  const std::string what =
      fmt::format("this machine's clock is {} {} that of {}", readable_time(apart),
                  skew < Duration() ? "behind" : "ahead of", sight.whose);
  const std::string advice =
      "synchronize the clock (chrony, systemd-timesyncd), on this machine or on the other one";
  if (!is_signing) {
    notebook.warning(what, "times in logs and rows cannot be compared", advice);
  } else if (apart > kRefused) {
    notebook.error(what, "signatures and tokens are refused beyond 5 minutes", advice);
  } else {
    notebook.warning(what, "tokens and signatures are time-sensitive, and times of leases mislead",
                     advice);
  }
}

}  // namespace

Duration certain_skew(const ClockSight& sight) {
  // Theirs was read somewhere between our two times.
  const Duration least = sight.before - sight.theirs - sight.resolution;
  const Duration most = sight.after - sight.theirs;
  if (least > Duration()) return least;
  return most < Duration() ? most : Duration();
}

Findings check_clocks(const std::vector<ClockSight>& sights, bool is_signing) {
  Notebook notebook("clock");
  for (const ClockSight& sight : sights) check_one(sight, is_signing, notebook);
  if (sights.empty()) notebook.not_checked("neither the database nor DynamoDB told its time");
  return notebook.take();
}

}  // namespace forebay::doctor
