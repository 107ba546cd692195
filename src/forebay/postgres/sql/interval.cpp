// The four ways in which servers write an interval (IntervalStyle):
//
//   postgres           1 year 2 mons -3 days +04:05:06.7
//   postgres_verbose   @ 1 year 2 mons -3 days 4 hours 5 mins 6.7 secs ago
//   sql_standard       +1-2 -3 +4:05:06.7, or with one sign for all: -3 4:05:06.7
//   iso_8601           P1Y2M-3DT4H5M6.7S
#include "forebay/postgres/sql/interval.hpp"

#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "forebay/base/number_text.hpp"
#include "forebay/postgres/sql/clock_text.hpp"

namespace forebay::postgres {
namespace {

__extension__ using Wide = __int128;

constexpr std::size_t kMostDigits = 18;  // so that nothing overflows before it is checked
constexpr Wide kSecond = 1'000'000;

enum class Part : std::uint8_t { months, days, time };

struct IntervalUnit {
  std::string_view name;
  Part part;
  Wide worth;
};
constexpr std::array kWords = {IntervalUnit{"year", Part::months, 12},
                               IntervalUnit{"mon", Part::months, 1},
                               IntervalUnit{"day", Part::days, 1},
                               IntervalUnit{"hour", Part::time, 3600 * kSecond},
                               IntervalUnit{"min", Part::time, 60 * kSecond},
                               IntervalUnit{"sec", Part::time, kSecond}};
constexpr std::array kDateLetters = {IntervalUnit{"Y", Part::months, 12},
                                     IntervalUnit{"M", Part::months, 1},
                                     IntervalUnit{"D", Part::days, 1}};
constexpr std::array kTimeLetters = {IntervalUnit{"H", Part::time, 3600 * kSecond},
                                     IntervalUnit{"M", Part::time, 60 * kSecond},
                                     IntervalUnit{"S", Part::time, kSecond}};

template <class Units>
const IntervalUnit* find_unit(const Units& units, std::string_view name) {
  for (const IntervalUnit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// A number with or without a sign and a fraction.
struct Amount {
  bool is_negative = false;
  Wide whole = 0;
  std::string_view fraction;  // its digits
};

std::optional<Amount> read_amount(std::string_view text) {
  Amount amount;
  amount.is_negative = text.starts_with('-');
  if (amount.is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) {
    amount.fraction = text.substr(point + 1);
    text = text.substr(0, point);
    if (!microseconds_of_fraction(amount.fraction)) return std::nullopt;
  }
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  const std::optional<std::uint64_t> whole = forebay::parse_number<std::uint64_t>(text);
  if (!whole) return std::nullopt;
  amount.whole = *whole;
  return amount;
}

class IntervalSum {
 public:
  // False: only seconds have fractions.
  bool add(const Amount& amount, const IntervalUnit& unit) {
    Wide value = amount.whole * unit.worth;
    if (!amount.fraction.empty()) {
      if (unit.part != Part::time || unit.worth != kSecond) return false;
      value += *microseconds_of_fraction(amount.fraction);
    }
    of(unit.part) += amount.is_negative ? -value : value;
    return true;
  }
  void add_time(Wide microseconds) { of(Part::time) += microseconds; }
  void turn() {
    for (Wide& part : parts_) part = -part;
  }

  // Nothing: it has more than PostgreSQL could count.
  std::optional<Interval> interval() const {
    using Days = std::numeric_limits<std::int32_t>;
    using Time = std::numeric_limits<std::int64_t>;
    const auto [months, days, time] = parts_;
    if (months < Days::min() || months > Days::max()) return std::nullopt;
    if (days < Days::min() || days > Days::max()) return std::nullopt;
    if (time < Time::min() || time > Time::max()) return std::nullopt;
    return Interval{static_cast<std::int32_t>(months), static_cast<std::int32_t>(days),
                    std::chrono::microseconds(static_cast<std::int64_t>(time))};
  }

 private:
  Wide& of(Part part) { return parts_[static_cast<std::size_t>(part)]; }

  std::array<Wide, 3> parts_{};
};

bool read_iso(std::string_view text, IntervalSum& sum) {
  bool is_time = false;
  while (!text.empty()) {
    if (!is_time && text.starts_with('T')) {
      is_time = true;
      text.remove_prefix(1);
    }
    const std::size_t end = text.find_first_not_of("+-.0123456789");
    if (end == std::string_view::npos) return false;
    const std::optional<Amount> amount = read_amount(text.substr(0, end));
    const IntervalUnit* unit = is_time ? find_unit(kTimeLetters, text.substr(end, 1))
                                       : find_unit(kDateLetters, text.substr(end, 1));
    if (!amount || unit == nullptr || !sum.add(*amount, *unit)) return false;
    text.remove_prefix(end + 1);
  }
  return true;
}

std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

bool has_sign(std::string_view word) { return word.starts_with('-') || word.starts_with('+'); }

// "4:05:06.7"
bool read_time(std::string_view word, bool is_turned, IntervalSum& sum) {
  const std::optional<std::int64_t> time = parse_clock(word);
  if (!time) return false;
  sum.add_time(is_turned ? -static_cast<Wide>(*time) : static_cast<Wide>(*time));
  return true;
}

// "1-2", of which the sign stands before both.
bool read_years(std::string_view word, bool is_turned, IntervalSum& sum) {
  const std::size_t hyphen = word.find('-', 1);
  std::optional<Amount> years = read_amount(word.substr(0, hyphen));
  std::optional<Amount> months = read_amount(word.substr(hyphen + 1));
  if (!years || !months || has_sign(word.substr(hyphen + 1))) return false;
  years->is_negative = months->is_negative = years->is_negative || is_turned;
  return sum.add(*years, kWords[0]) && sum.add(*months, kWords[1]);
}

// Without words one sign in front is for all, unless others have their own.
bool read_standard(std::string_view text, IntervalSum& sum) {
  const bool is_negative = text.starts_with('-');
  while (!text.empty()) {
    const std::string_view word = take_word(text);
    const bool is_turned = is_negative && !has_sign(word);
    if (word.contains(':')) {
      if (!read_time(word, is_turned, sum)) return false;
    } else if (word.find('-', 1) != std::string_view::npos) {
      if (!read_years(word, is_turned, sum)) return false;
    } else {
      std::optional<Amount> days = read_amount(word);
      if (!days) return false;
      days->is_negative = days->is_negative || is_turned;
      if (!sum.add(*days, kWords[2])) return false;
    }
  }
  return true;
}

// With words every number has the sign that stands before it.
bool read_words(std::string_view text, IntervalSum& sum) {
  while (!text.empty()) {
    const std::string_view word = take_word(text);
    if (word.contains(':')) {
      if (!read_time(word, false, sum)) return false;
      continue;
    }
    const std::optional<Amount> amount = read_amount(word);
    std::string_view name = take_word(text);
    if (name.ends_with('s')) name.remove_suffix(1);
    const IntervalUnit* unit = find_unit(kWords, name);
    if (!amount || unit == nullptr || !sum.add(*amount, *unit)) return false;
  }
  return true;
}

bool read_interval(std::string_view text, IntervalSum& sum) {
  if (text.empty() || text.ends_with(' ')) return false;
  if (text.starts_with('P')) return text.size() > 1 && read_iso(text.substr(1), sum);
  static constexpr std::string_view kVerbose = "@ ";
  static constexpr std::string_view kAgo = " ago";
  const bool is_verbose = text.starts_with(kVerbose);
  if (is_verbose) text.remove_prefix(kVerbose.size());
  if (text == "0") return true;
  const bool is_ago = is_verbose && text.ends_with(kAgo);
  if (is_ago) text.remove_suffix(kAgo.size());
  const bool has_words = text.find_first_of("aeiouy") != std::string_view::npos;
  if (!(has_words ? read_words(text, sum) : read_standard(text, sum))) return false;
  if (is_ago) sum.turn();
  return true;
}

}  // namespace

Result<std::chrono::microseconds> Interval::elapsed() const {
  if (months != 0) {
    return failure(Errc::invalid, "an interval with months, whose length depends on the calendar");
  }
  const Wide count = static_cast<Wide>(days) * 86'400 * kSecond + time.count();
  if (count < std::numeric_limits<std::int64_t>::min() ||
      count > std::numeric_limits<std::int64_t>::max()) {
    return failure(Errc::invalid, "an interval too long to count its microseconds");
  }
  return std::chrono::microseconds(static_cast<std::int64_t>(count));
}

// Each part has a sign: under sql_standard, one sign alone would be for all of them.
std::string SqlValue<Interval>::to_text(const Interval& interval) {
  const std::string time = clock_text(interval.time.count());
  return fmt::format("{:+} mons {:+} days {}{}", interval.months, interval.days,
                     time.starts_with('-') ? "" : "+", time);
}

Result<Interval> SqlValue<Interval>::from_text(std::string_view text) {
  IntervalSum sum;
  const std::optional<Interval> interval = read_interval(text, sum) ? sum.interval() : std::nullopt;
  if (!interval) return not_a("an interval", text);
  return *interval;
}

}  // namespace forebay::postgres
