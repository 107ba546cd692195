#include "forebay/aws/iso_time.hpp"

#include <chrono>

namespace forebay::aws {
namespace {

// Takes what it reads from the front.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<int> number(std::size_t digits) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    for (const char digit : rest_.substr(0, digits)) {
      if (digit < '0' || digit > '9') return std::nullopt;
      value = value * 10 + (digit - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }
  bool skip(char letter) {
    if (!rest_.starts_with(letter)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_digits() {
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') rest_.remove_prefix(1);
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// What to take off to get UTC.
std::optional<std::chrono::minutes> read_offset(Reader& reader) {
  if (reader.skip('Z')) return std::chrono::minutes(0);
  const bool is_east = reader.skip('+');
  if (!is_east && !reader.skip('-')) return std::nullopt;
  const std::optional<int> hours = reader.number(2);
  reader.skip(':');
  const std::optional<int> minutes = reader.number(2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::chrono::minutes offset(*hours * 60 + *minutes);
  return is_east ? offset : -offset;
}

}  // namespace

std::optional<WallTime> parse_iso_time(std::string_view text) {
  Reader reader(text);
  const std::optional<int> year = reader.number(4);
  const bool has_month = year && reader.skip('-');
  const std::optional<int> month = has_month ? reader.number(2) : std::nullopt;
  const bool has_day = month && reader.skip('-');
  const std::optional<int> day = has_day ? reader.number(2) : std::nullopt;
  const bool has_hour = day && reader.skip('T');
  const std::optional<int> hour = has_hour ? reader.number(2) : std::nullopt;
  const bool has_minute = hour && reader.skip(':');
  const std::optional<int> minute = has_minute ? reader.number(2) : std::nullopt;
  const bool has_second = minute && reader.skip(':');
  const std::optional<int> second = has_second ? reader.number(2) : std::nullopt;
  if (!second) return std::nullopt;
  if (reader.skip('.')) reader.skip_digits();  // nothing here lasts for less than a second
  const std::optional<std::chrono::minutes> offset = read_offset(reader);
  if (!offset || !reader.is_at_end()) return std::nullopt;

  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  // Nanoseconds since 1970 reach to the year 2262.
  if (!date.ok() || *year < 1970 || *year > 2200) return std::nullopt;
  if (*hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch();
  const std::chrono::seconds clock =
      std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
  return WallTime(std::chrono::seconds(days) + clock - *offset);
}

}  // namespace forebay::aws
