#include "forebay/metrics/metric_page_reader.hpp"

#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace forebay {
namespace {

constexpr std::string_view kBlanks = " \t\r";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

void skip_blanks(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
}

bool take(std::string_view& rest, char expected) {
  if (!rest.starts_with(expected)) return false;
  rest.remove_prefix(1);
  return true;
}

std::string_view take_name(std::string_view& rest) {
  std::size_t end = 0;
  while (end < rest.size() && is_name_character(rest[end])) ++end;
  const std::string_view name = rest.substr(0, end);
  rest.remove_prefix(end);
  return name;
}

// What stands between quotes. Nothing: they do not end.
std::optional<std::string> take_quoted(std::string_view& rest) {
  if (!take(rest, '"')) return std::nullopt;
  std::string text;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '"') return text;
    if (c != '\\' || rest.empty()) {
      text += c;
      continue;
    }
    text += rest.front() == 'n' ? '\n' : rest.front();
    rest.remove_prefix(1);
  }
  return std::nullopt;
}

bool take_labels(std::string_view& rest, MetricValue& metric) {
  if (!take(rest, '{')) return true;
  for (;;) {
    skip_blanks(rest);
    if (take(rest, '}')) return true;
    const std::string_view name = take_name(rest);
    skip_blanks(rest);
    if (name.empty() || !take(rest, '=')) return false;
    skip_blanks(rest);
    std::optional<std::string> value = take_quoted(rest);
    if (!value) return false;
    metric.labels.insert_or_assign(std::string(name), std::move(*value));
    skip_blanks(rest);
    if (!take(rest, ',') && !rest.starts_with('}')) return false;
  }
}

std::optional<double> number_of(std::string_view word) {
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (word == "+Inf" || word == "Inf") return std::numeric_limits<double>::infinity();
  if (word == "-Inf") return -std::numeric_limits<double>::infinity();
  if (word.starts_with('+')) word.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::optional<MetricValue> value_in(std::string_view line) {
  MetricValue metric;
  metric.name = take_name(line);
  if (metric.name.empty()) return std::nullopt;
  skip_blanks(line);
  if (!take_labels(line, metric)) return std::nullopt;
  skip_blanks(line);
  const std::optional<double> number =
      number_of(line.substr(0, std::min(line.find_first_of(kBlanks), line.size())));
  if (!number) return std::nullopt;
  metric.value = *number;
  return metric;
}

}  // namespace

std::string_view MetricValue::label(std::string_view label_name) const {
  const auto found = labels.find(label_name);
  return found == labels.end() ? std::string_view() : std::string_view(found->second);
}

Result<MetricPage> MetricPage::read(std::string_view text) {
  MetricPage page;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    skip_blanks(line);
    if (line.empty() || line.starts_with('#')) continue;
    std::optional<MetricValue> value = value_in(line);
    if (!value)
      return failure(Errc::invalid,
                     fmt::format("line {} is no metric of Prometheus's text format", number));
    Family& family = page.families_[value->name];
    family.places.push_back(page.values_.size());
    family.by_labels.insert_or_assign(value->labels, value->value);
    page.values_.push_back(std::move(*value));
  }
  return page;
}

std::vector<const MetricValue*> MetricPage::all(Metric metric) const {
  std::vector<const MetricValue*> found;
  const auto family = families_.find(definition(metric).name);
  if (family == families_.end()) return found;
  for (const std::size_t place : family->second.places) found.push_back(&values_[place]);
  return found;
}

std::optional<double> MetricPage::find(std::string_view name, const LabelMap& labels) const {
  const auto family = families_.find(name);
  if (family == families_.end()) return std::nullopt;
  const auto found = family->second.by_labels.find(labels);
  return found == family->second.by_labels.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace forebay
