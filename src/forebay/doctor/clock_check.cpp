#include "forebay/doctor/clock_check.hpp"

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::doctor {
namespace {

constexpr Duration kDoubtful = std::chrono::seconds(1);
constexpr Duration kRefused = std::chrono::minutes(5);  // AWS accepts no signature beyond

void check_one(const ClockReading& reading, bool is_signing, Notebook& notebook) {
  const Duration skew = certain_skew(reading);
  const Duration apart = skew < Duration() ? -skew : skew;
  if (apart <= kDoubtful) {
    notebook.ok(fmt::format("this machine's clock agrees with {}", reading.whose));
    return;
  }
  const std::string what =
      fmt::format("this machine's clock is {} {} that of {}", readable_time(apart),
                  skew < Duration() ? "behind" : "ahead of", reading.whose);
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

Duration certain_skew(const ClockReading& reading) {
  // Theirs was read somewhere between our two times.
  const Duration least = reading.before - reading.theirs - reading.resolution;
  const Duration most = reading.after - reading.theirs;
  if (least > Duration()) return least;
  return most < Duration() ? most : Duration();
}

Findings check_clocks(const std::vector<ClockReading>& readings, bool is_signing) {
  Notebook notebook("clock");
  for (const ClockReading& reading : readings) check_one(reading, is_signing, notebook);
  if (readings.empty()) notebook.not_checked("neither the database nor DynamoDB told its time");
  return notebook.take();
}

}  // namespace forebay::doctor
