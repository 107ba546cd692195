#include "forebay/ids/timestamp.hpp"

#include <limits>
#include <optional>

#include <fmt/format.h>

#include "forebay/base/calendar_text.hpp"

namespace forebay {
namespace {

constexpr std::int64_t kMicroseconds = 1'000'000;  // in a second
constexpr std::size_t kFractionDigits = 6;

std::unexpected<Error> refused(std::string_view text, std::string_view why) {
  constexpr std::size_t kLongest = 64;  // longer than any timestamp
  return failure(Errc::invalid,
                 fmt::format("\"{}\"{} is not a timestamp: {}", text.substr(0, kLongest),
                             text.size() > kLongest ? "..." : "", why));
}

// "678" is 678,000 microseconds.
std::int64_t fraction_of(std::string_view digits) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < kFractionDigits; ++i) {
    value = value * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  }
  return value;
}

std::optional<std::int64_t> microseconds(std::int64_t seconds, std::int64_t fraction) {
  __extension__ using Wide = __int128;
  const Wide sum = static_cast<Wide>(seconds) * kMicroseconds + fraction;
  if (sum < std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  if (sum > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

}  // namespace

Result<WallTime> wall_time_of(Timestamp time) {
  constexpr auto kFirst = std::chrono::ceil<std::chrono::microseconds>(Duration::min());
  constexpr auto kLast = std::chrono::floor<std::chrono::microseconds>(Duration::max());
  if (time.time_since_epoch() < kFirst || time.time_since_epoch() > kLast) {
    return failure(Errc::invalid,
                   fmt::format("{} has no nanoseconds since 1970: they reach from {} to {}",
                               timestamp_text(time), timestamp_text(Timestamp(kFirst)),
                               timestamp_text(Timestamp(kLast))));
  }
  return WallTime(time.time_since_epoch());
}

Result<Timestamp> parse_timestamp(std::string_view text) {
  if (text == "infinity" || text == "-infinity") {
    return refused(text, "it is no point in time; read such columns as text");
  }
  static constexpr std::string_view kBeforeChrist = " BC";
  const bool is_before_christ = text.ends_with(kBeforeChrist);
  CalendarReader reader(
      text.substr(0, text.size() - (is_before_christ ? kBeforeChrist.size() : 0)));
  const std::optional<CalendarDate> date = reader.date(is_before_christ);
  const bool has_time = date && (reader.skip(" ") || reader.skip("T"));
  const std::optional<std::chrono::seconds> clock = has_time ? reader.time_of_day() : std::nullopt;
  if (!clock) return refused(text, "expected something like 2026-01-02 03:04:05.678901+00");
  std::string_view fraction;
  if (reader.skip(".")) {
    fraction = reader.digits();
    if (fraction.empty()) return refused(text, "digits must follow the point");
    if (fraction.size() > kFractionDigits) return refused(text, "it is finer than a microsecond");
  }
  std::chrono::seconds offset(0);
  if (!reader.is_at_end()) {
    const std::optional<std::chrono::seconds> found = reader.offset();
    if (!found) return refused(text, "its offset must be like +00, +05:30 or Z");
    offset = *found;
  }
  if (!reader.is_at_end()) return refused(text, "more text follows it");
  const std::int64_t seconds = days_of(*date) * 86'400 + (*clock - offset).count();
  const std::optional<std::int64_t> count = microseconds(seconds, fraction_of(fraction));
  if (!count) {
    return refused(text,
                   seconds < 0
                       ? fmt::format("the first that fits is {}", timestamp_text(Timestamp::min()))
                       : fmt::format("the last that fits is {}", timestamp_text(Timestamp::max())));
  }
  return timestamp_from_microseconds(*count);
}

std::string timestamp_text(Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto days = std::chrono::floor<std::chrono::days>(seconds);
  const CalendarDate date = date_of(days.time_since_epoch().count());
  const std::int64_t second_of_day = (seconds - days).count();
  // Not time - seconds: the first second of all begins before there are microseconds.
  const std::int64_t remainder = microseconds_of(time) % kMicroseconds;
  const std::int64_t fraction = remainder < 0 ? remainder + kMicroseconds : remainder;
  const bool is_before_christ = date.year <= 0;

  std::string text = fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
                                 is_before_christ ? 1 - date.year : date.year, date.month, date.day,
                                 second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
  if (fraction != 0) {
    text += fmt::format(".{:06}", fraction);
    text.erase(text.find_last_not_of('0') + 1);
  }
  text += "+00";
  if (is_before_christ) text += " BC";
  return text;
}

}  // namespace forebay
